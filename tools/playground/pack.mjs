// SPDX-License-Identifier: MIT
/*
 * pack.mjs page TEXTS GRAMMAR: the page's modules as one script on standard output, with examples,
 * lessons and the grammar as the module "data". pack.mjs engine FOLDER: nvfifo.js, the worker's
 * scripts and nvfifo.wasm of FOLDER as another one.
 *
 * A page from file:// may load scripts, but neither modules, files nor workers: the worker starts
 * from a text that the page has. One request for each also makes the start shorter.
 */
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";

const PAGE = "tools/playground/page";
const read = (path) => readFileSync(path, "utf8");
const HEAD = "// SPDX-License-Identifier: MIT\n// Made by tools/playground/pack.mjs.\n\"use strict\";\n";

/* Modules in the order of their imports. Each becomes a function of its own, so no name can clash. */
function add_module(name, parts) {
	if (parts.has(name))
		return;

	const exported = [];
	const body = read(`${PAGE}/${name}.js`).replace(/^import (\{.*\}) from "\.\/(.*)\.js";$/gm, (_all, names, from) => {
		add_module(from, parts);
		return `const ${names} = ${from}_module;`;
	}).replace(/^export ((?:async )?(?:function|class|const) (\w+))/gm, (_all, start, what) => {
		exported.push(what);
		return start;
	});

	if (/^(import|export) /m.test(body))
		throw new Error(`${name}.js imports or exports in a way that pack.mjs does not know`);
	parts.set(name, `const ${name}_module = (() => {\n${body}\nreturn { ${exported.join(", ")} };\n})();\n`);
}

function page(texts, grammar) {
	const parts = new Map([["data", `const data_module = { texts: ${texts.trim()}, grammar: ${grammar.trim()} };\n`]]);

	add_module("main", parts);
	return HEAD + [...parts.values()].join("");
}

function engine(folder) {
	const script = [`${folder}/nvfifo.js`, `${PAGE}/call.js`, `${PAGE}/worker.js`].map(read).join("\n");
	const code = deflateRawSync(readFileSync(`${folder}/nvfifo.wasm`), { level: 9 }).toString("base64");

	return `${HEAD}globalThis.nvfifo_engine = ${JSON.stringify({ script, code })};\n`;
}

const [what, ...paths] = process.argv.slice(2);

process.stdout.write(what === "page" ? page(...paths.map(read)) : engine(paths[0]));
