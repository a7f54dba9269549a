// SPDX-License-Identifier: MIT
/* The playground: what happens when somebody types and presses. */
import { Completion } from "./complete.js";
import { show_lesson, solved } from "./course.js";
import { grammar, texts } from "./data.js";
import { by_id, element } from "./dom.js";
import { Editor } from "./editor.js";
import { Engine, Stopped } from "./engine.js";
import { Grammar } from "./highlight.js";
import { link_of, read_link } from "./link.js";
import { show_result } from "./result.js";
import { kernel_line, read_run, text_error } from "./run.js";
import { Stepper } from "./stepper.js";

const LINT_AFTER = 400;	/* ms without a key */
const LONGEST = 8 << 20;	/* characters in a box */
const SHOWN = 2 << 20;		/* characters of an answer; more would freeze the page */

const engine = new Engine();
let editor, stepper, lesson = null, last_run = null, lint_timer = 0;
let runs = 0, running = false;

function say(text) {
	by_id("status").textContent = text;
}

/* --- Lint ---------------------------------------------------------------- */

function show_findings(findings) {
	by_id("findings").replaceChildren(...findings.map((f) => element("li", { class: f.severity },
		element("button", { type: "button", onclick: () => editor.go(f.line, f.column) }, `Line ${f.line}`),
		` ${f.severity}: ${f.text}${/[.?!]$/.test(f.text) ? "" : "."} `, element("span", { class: "advice" }, f.why || ""))));
	editor.set_marks("error", findings.filter((f) => f.severity === "error"));
	editor.set_marks("warning", findings.filter((f) => f.severity !== "error"));
}

/* Mistakes of the program as it is now; nothing if it was changed meanwhile */
async function lint() {
	const program = editor.text;
	const answer = await engine.call(["lint", "--json", "--chipset", by_id("chip").value, "program.nvp"], { "program.nvp": program });
	const error = text_error(answer.errors);
	const findings = answer.output.split("\n").filter(Boolean).map(JSON.parse).filter((f) => f.severity !== "expected");

	if (program !== editor.text)
		return;
	if (error)
		findings.unshift({ ...error, severity: "error", why: "" });
	show_findings(findings);
}

function lint_later() {
	clearTimeout(lint_timer);
	lint_timer = setTimeout(() => lint().catch(() => {}), LINT_AFTER);
}

/* --- Run ----------------------------------------------------------------- */

function busy(on) {
	running = on;
	by_id("run").disabled = on;
	by_id("stop").disabled = !on;
	by_id("result").setAttribute("aria-busy", on ? "true" : "false");
}

/* "nvfifo explain" about the error of each dead channel */
async function explain_errors(run) {
	const advice = new Map();

	for (const channel of run.result.channels || []) {
		const line = kernel_line(run, channel);

		if (!line)
			continue;

		const answer = await engine.call(["explain", "--json", "error.txt"], { "error.txt": line });
		const rows = answer.output.split("\n").filter(Boolean).map(JSON.parse);

		advice.set(channel.name, rows.map((row) => row.advice).filter(Boolean).join(" "));
	}

	return advice;
}

async function run_now(program) {
	const args = ["run", `--model=${by_id("chip").value}`, "--step", "--json", "--images", "/images",
		"--timeout", by_id("patience").value, "program.nvp"];
	const answer = await engine.call(args, { "program.nvp": program });
	const run = read_run(answer);

	if (!run.result)
		throw new Error(answer.errors || "The engine gave no result.");

	run.program = program;
	run.chip = by_id("chip").value;
	run.advice = await explain_errors(run);

	return run;
}

function show_run(run) {
	const blamed = show_result(by_id("result"), run, run.advice, (row) => editor.go(row.line, row.column));
	const error = text_error(run.result.why || run.errors);

	stepper.take(run);
	/* A header stands for its statement, and data for itself. */
	editor.set_marks("died", blamed ? [{ line: blamed.row.line, text: "the channel died here",
		column: blamed.row.word.kind === "data" ? blamed.row.column : 0 }] : []);
	if (error)
		editor.set_marks("error", [error]);
	say(`${run.result.verdict}, ${run.time} ms`);
}

function show_failure(error) {
	const stopped = error instanceof Stopped;

	stepper.take(null);
	by_id("result").replaceChildren(element("p", { class: "verdict bad", id: "verdict" },
		stopped ? "■ STOPPED by you." : `✗ ${error.message}`));
	say(stopped ? "Stopped" : "Failed");
}

/*
 * Run the program as it is, instead of one that runs still. Returns the run, or null if it was
 * stopped or the engine failed.
 */
async function run() {
	const begin = performance.now(), mine = ++runs;
	let result = null, failure = null;

	if (running) {
		engine.stop();
		lint_later();
	}
	busy(true);
	say("Running …");
	last_run = null;
	try {
		result = await run_now(editor.text);
	} catch (error) {
		failure = error;
	}

	if (mine !== runs)
		return null;
	if (failure) {
		show_failure(failure);
	} else {
		result.time = Math.round(performance.now() - begin);
		last_run = result;
		show_run(result);
	}
	busy(false);

	return last_run;
}

/* --- Menus, links, boxes ------------------------------------------------- */

function set_program(text, about) {
	editor.text = text;
	by_id("about").textContent = about;
	lint_later();
	return run();
}

function choose_example() {
	const example = texts.examples[by_id("example").value];

	leave_lesson();
	return set_program(example.text, example.about);
}

function leave_lesson() {
	lesson = null;
	by_id("lesson").value = "";
	by_id("lesson-text").replaceChildren();
	by_id("course").classList.remove("open");
}

function choose_lesson() {
	lesson = texts.lessons[by_id("lesson").value] || null;
	if (!lesson) {
		leave_lesson();
		return null;
	}

	by_id("course").classList.add("open");
	show_lesson(by_id("lesson-text"), lesson, async (answer) => {
		const same = last_run && last_run.program === editor.text && last_run.chip === by_id("chip").value;

		return solved(lesson, same ? last_run : await run(), answer);
	});
	return set_program(lesson.program, "");
}

async function share() {
	const link = await link_of(by_id("chip").value, editor.text);

	history.replaceState(null, "", link);
	by_id("link").value = location.href;
	by_id("link-row").hidden = false;
	by_id("link").select();
	say("The link has the program; the address bar has it, too.");
}

function shorten(text) {
	return text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… and ${text.length - SHOWN} more characters, which nvfifo on a machine would print.` : text;
}

/* A box for text that a subcommand takes */
function box(name, args, file) {
	by_id(`${name}-go`).addEventListener("click", async () => {
		const text = by_id(`${name}-text`).value, place = by_id(`${name}-output`);

		if (text.length > LONGEST) {
			place.textContent = `The text has ${text.length} characters, and the box takes ${LONGEST}.`;
			return;
		}

		place.textContent = "…";
		try {
			const answer = await engine.call([...args, file], { [file]: text });
			place.textContent = shorten(`${answer.errors}${answer.output}`) || "Nothing was found in it.";
		} catch (error) {
			place.textContent = error instanceof Stopped ? "Stopped." : error.message;
		}
	});
}

function option(value, text) {
	return element("option", { value }, text);
}

/* After the first run, which has another chip only if the link says so */
async function fill_chips() {
	const answer = await engine.call(["chips", "--json"], {}), chosen = by_id("chip").value;

	by_id("chip").replaceChildren(...JSON.parse(answer.output).map((chip) => option(chip.name.toLowerCase(), chip.name)));
	by_id("chip").value = chosen;
	if (!by_id("chip").value)
		by_id("chip").value = "g84";
}

function fill_menus() {
	by_id("example").replaceChildren(...texts.examples.map((example, i) => option(i, `${example.name}: ${example.title}`)));
	by_id("lesson").replaceChildren(option("", "none"), ...texts.lessons.map((one, i) => option(i, `${i + 1}. ${one.title}`)));
}

/* The program of the address, else the first example */
async function first_program() {
	try {
		const link = await read_link(location.hash);

		if (link) {
			by_id("chip").append(option(link.chip, link.chip.toUpperCase()));
			by_id("chip").value = link.chip;
			return await set_program(link.program, "The program of the link");
		}
	} catch (error) {
		await choose_example();
		say(error.message);
		return null;
	}

	return choose_example();
}

function listen() {
	const parts = {};

	for (const name of ["first", "back", "forward", "last", "slider", "where", "drawing"])
		parts[name] = by_id(name);
	stepper = new Stepper(parts, (line) => editor.set_here(line));
	editor.changed = () => {
		lint_later();
		if (!running)
			say("Changed since this result");
	};
	by_id("run").addEventListener("click", run);
	by_id("stop").addEventListener("click", () => engine.stop());
	by_id("share").addEventListener("click", () => share().catch((error) => say(error.message)));
	by_id("example").addEventListener("change", choose_example);
	by_id("lesson").addEventListener("change", choose_lesson);
	by_id("chip").addEventListener("change", () => { lint_later(); run(); });
	window.addEventListener("hashchange", first_program);
	document.addEventListener("keydown", (event) => {
		if (event.key === "Enter" && event.ctrlKey && !by_id("run").disabled)
			run();
	});
	box("dump", ["disasm"], "dump.txt");
	box("explain", ["explain"], "log.txt");
}

async function start() {
	const loaded = engine.load(), colours = new Grammar(grammar);

	editor = new Editor(by_id("program"), by_id("colours"), colours);
	new Completion(editor, by_id("choices"), engine, grammar);
	listen();
	fill_menus();
	await loaded;
	await first_program();
	document.body.dataset.first = Math.round(performance.now());
	await fill_chips();
	document.body.dataset.ready = "yes";
}

start().catch((error) => {
	say(error.message);
	by_id("result").replaceChildren(element("p", { class: "verdict bad", id: "verdict" }, `✗ ${error.message}`));
});
