// SPDX-License-Identifier: MIT
/*
 * The playground's engine in node: each example, and inputs of other subcommands, print what the
 * native command prints. TAP; runs at the top of the tree after "make playground tools".
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { runInThisContext } from "node:vm";
import { inflateRawSync, inflateSync } from "node:zlib";

const FOLDER = "build/playground";
const MEMORY = 256 << 20;

/* emscripten listens for errors of the process in each instance. */
process.setMaxListeners(0);

let count = 0, most = 0, failed = 0;

function check(good, name, more) {
	console.log(`${good ? "ok" : "not ok"} ${++count} - ${name}`);
	failed += !good;
	if (!good && more)
		console.log(more.replace(/^/gm, "# "));
}

/* What the page gives to its worker, without the line of the worker itself */
runInThisContext(readFileSync(`${FOLDER}/engine.js`, "utf8"));
const { script, code } = globalThis.nvfifo_engine;
globalThis.require = createRequire(import.meta.url);
globalThis.__dirname = FOLDER;
runInThisContext(script);
const module = await WebAssembly.compile(inflateRawSync(Buffer.from(code, "base64")));

/* The first line that differs */
function difference(have, want) {
	const a = have.split("\n"), b = want.split("\n"), at = a.findIndex((line, i) => line !== b[i]);

	return `line ${at + 1}\n${a[at]}\ninstead of\n${b[at]}`;
}

function native(args, files) {
	const folder = execFileSync("mktemp", ["-d"], { encoding: "utf8" }).trim();

	for (const [name, text] of Object.entries(files))
		execFileSync("tee", [`${folder}/${name}`], { input: text, stdio: ["pipe", "ignore", "inherit"] });

	const done = spawnSync(`${process.cwd()}/build/bin/nvfifo`, args.map((arg) => arg.replace("/images", folder)),
		{ cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
	const images = {};

	for (const name of readdirSync(folder).filter((file) => file.endsWith(".png")))
		images[name.slice(0, -4)] = readFileSync(`${folder}/${name}`);
	execFileSync("rm", ["-r", folder]);

	return { code: done.status, output: done.stdout.replaceAll(folder, "/images"), errors: done.stderr, images };
}

async function call(args, files) {
	const answer = await nvfifo_call(createNvfifo, module, args, files);

	most = Math.max(most, answer.memory);
	return answer;
}

/* Size and pixels of a PNG: only the native command may pack them. */
function pixels(png) {
	const packed = [];
	let size = "";

	for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
		const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at)), kind = png.toString("latin1", at + 4, at + 8);

		if (kind === "IHDR")
			size = data.toString("hex");
		if (kind === "IDAT")
			packed.push(data);
	}

	return packed.length ? size + inflateSync(Buffer.concat(packed)).toString("hex") : "";
}

async function compare(name, args, files, pictures = 0) {
	const want = native(args, files), have = await call(args, files);
	const { output, errors } = have;
	const drawn = Object.keys(want.images).filter((image) =>
		pixels(want.images[image]) === pixels(Buffer.from(have.images[image] || [])));

	check(have.code === want.code && output === want.output && errors === want.errors && drawn.length === pictures, name,
	      have.code !== want.code ? `exit code ${have.code} instead of ${want.code}` :
	      output !== want.output ? difference(output, want.output) : difference(errors, want.errors));
}

for (const chip of ["g84", "gt215"]) {
	for (const file of readdirSync("examples").filter((name) => name.endsWith(".nvp")).sort()) {
		const program = { [file]: readFileSync(`examples/${file}`, "utf8") };

		await compare(`${file} on ${chip}`, ["run", `--model=${chip}`, "--images", "/images", file], program,
			file.startsWith("08") ? 1 : 0);
	}
}

const dead = { "p.nvp": readFileSync("tests/golden/model-dead.nvp", "utf8") };
const wrong = { "p.nvp": "channel a\npush m {\n\tmthd 0 NOTHING : 1\n}\nsubmit a m\n" };
const dump = { "dump.txt": readFileSync("tests/data/mesa-gl33-nv96.txt", "utf8") };
const log = { "log.txt": readFileSync("tests/golden/kernel.log", "utf8") };

await compare("a channel that dies, as JSON", ["run", "--model=g80", "--json", "p.nvp"], dead);
await compare("an error in line 3", ["run", "--model", "--step", "--json", "p.nvp"], wrong);
await compare("lint of a mistake", ["lint", "--json", "p.nvp"], dead);
await compare("disasm of a capture of Mesa", ["disasm", "dump.txt"], dump);
await compare("explain of a log", ["explain", "log.txt"], log);
await compare("methods as JSON", ["methods", "--json", "2D"], {});

/* A stop for each word of the pushbuffer, and the end */
const first = { "p.nvp": readFileSync("examples/01-refcnt-semaphore.nvp", "utf8") };
const stops = await call(["run", "--model", "--step", "--json", "p.nvp"], first);
const steps = stops.output.split("\n").filter(Boolean).map(JSON.parse).filter((line) => "step" in line);
const places = steps.filter((step) => step.buffer === "(push)").map((step) => step.offset);

check(places.join() === "0,4,8,12,16,20,24,28" && steps.at(-1).step === 0, "a stop for each word", places.join());

/* A card that needs all memory that the page may use */
const greedy = { "p.nvp": `${Array.from({ length: 40 }, (_none, i) => `buffer b${i} 2M system`).join("\n")}\nchannel a\nwait\n` };
const full = await call(["run", "--model", "p.nvp"], greedy);

check(full.code === 3 && /memory/.test(full.errors), "too much memory is an error, not a crash", `${full.code} ${full.errors}`);
check(most > 0 && most < MEMORY, `no call has taken 256 MiB: ${most >> 20}`);
console.log(`1..${count}`);
/* Newer emscriptens set it to that of the last call. */
process.exitCode = failed ? 1 : 0;
