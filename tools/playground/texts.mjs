// SPDX-License-Identifier: MIT
/*
 * texts.mjs FILE...: examples and lessons of the playground as JSON on standard output.
 *
 * An example is a program with its title. A lesson is a page of Documentation/guides/course: the
 * same text is a page of the guides there. It may have paragraphs, lists, blocks of commands, one
 * program by "literalinclude", and the sections Question and Answer. Comments of the form ".. check:"
 * say what the page checks (see page/course.js), and ".. solve: OLD => NEW" how its test solves it.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

function fail(path, line, text) {
	console.error(`${path}: ${text}: ${line}`);
	process.exit(1);
}

/* The comment at the head of a program, without the license and commands */
function head_of(text) {
	const lines = text.split("\n").slice(1);
	const end = lines.findIndex((line) => !line.startsWith("#"));
	const head = lines.slice(0, end).map((line) => line.slice(1).trim()).filter((line) => !line.startsWith("nvfifo "));

	return head.join(" ").trim().replace(/[^.]*:$/, "").trim();
}

function example(path) {
	const text = readFileSync(path, "utf8"), title = text.match(/^title "(.*)"$/m);

	if (!title)
		fail(path, "title", "an example lacks");

	return { name: basename(path, ".nvp"), title: title[1], about: head_of(text), text };
}

/* Lines of a page in blocks, which empty lines part */
function blocks_of(text) {
	return text.split(/\n\s*\n/).map((block) => block.replace(/^\n+|\n+$/g, "")).filter(Boolean);
}

function inline(text) {
	return text.replace(/\s*\n\s*/g, " ").replace(/:(?:doc|ref):`(?:([^`<]+) <[^>]+>|([^`]+))`/g, (_all, title, name) => title || name).trim();
}

/* One block of text, or null for what the page has elsewhere */
function convert(path, block, next) {
	if (/^- /.test(block))
		return { type: "list", items: block.split(/\n(?=- )/).map((item) => inline(item.slice(2))) };
	if (/^ {3}/.test(block) && next === "code")
		return { type: "code", text: block.replace(/^ {3}/gm, "") };
	if (/^\.\. /.test(block) || /^ /.test(block))
		fail(path, block.split("\n")[0], "a lesson cannot have this");

	return { type: "text", text: inline(block) };
}

function lesson(path) {
	const made = { name: basename(path, ".rst"), title: "", program: "", blocks: [], question: [], answer: [], checks: [], solve: [] };
	let place = made.blocks, next = "";

	for (const block of blocks_of(readFileSync(path, "utf8"))) {
		const lines = block.split("\n"), after = next;

		next = "";
		if (lines[0].startsWith(".. SPDX"))
			continue;
		if (/^=+$/.test(lines[0])) {
			made.title = lines[1];
		} else if (/^=+$/.test(lines[1] || "")) {
			place = { Question: made.question, Answer: made.answer }[lines[0]] || fail(path, lines[0], "no section of a lesson");
		} else if (lines[0].startsWith(".. check: ")) {
			made.checks.push(...lines.map((line) => line.slice(".. check: ".length)));
		} else if (lines[0].startsWith(".. solve: ")) {
			made.solve.push(...lines.map((line) => line.slice(".. solve: ".length).split(" => ")));
		} else if (lines[0].startsWith(".. literalinclude:: ")) {
			made.program = readFileSync(join(dirname(path), lines[0].slice(".. literalinclude:: ".length)), "utf8");
		} else if (/^\.\. code-block:: /.test(lines[0])) {
			next = "code";
		} else {
			place.push(convert(path, block, after));
		}
		if (after === "code" && /^ {3}/.test(block))
			next = "code";
	}
	for (const key of ["title", "program", "question", "answer", "checks"]) {
		if (!made[key].length)
			fail(path, key, "a lesson lacks");
	}

	return made;
}

const paths = process.argv.slice(2).sort();

console.log(JSON.stringify({
	examples: paths.filter((path) => path.startsWith("examples/")).map(example),
	lessons: paths.filter((path) => path.endsWith(".rst") && basename(path) !== "index.rst").map(lesson),
}));
