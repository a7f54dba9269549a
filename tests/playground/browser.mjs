// SPDX-License-Identifier: MIT
/*
 * The playground's page in headless chromium: TAP. Runs at the top of the tree after
 * "make playground tools". With names of parts only these. PICTURES=folder keeps screenshots.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { Chromium, serve } from "./chromium.mjs";

const FOLDER = "build/playground", PAGE = "tools/playground/page";
const CHIPS = ["g80", "g84", "gt215", "mcp89"];
const LIMIT = 500000;	/* bytes of all files, compressed */

const wanted = process.argv.slice(2);
let count = 0, browser, address, restarted = false;

function check(good, name, more = "") {
	console.log(`${good ? "ok" : "not ok"} ${++count} - ${name}`);
	if (!good) {
		process.exitCode = 1;
		console.log(String(more).slice(0, 2000).replace(/^/gm, "# "));
	}
}

const quoted = JSON.stringify;
const text_of = (id) => browser.value(`document.getElementById("${id}").textContent`);

/* Press a button or choose from a menu, as a person does. */
const press = (id) => browser.value(`document.getElementById("${id}").click()`);
const choose = (id, value) => browser.value(`{
	const menu = document.getElementById("${id}");
	menu.value = ${quoted(String(value))};
	menu.dispatchEvent(new Event("change"));
}`);
const write = (id, text) => browser.value(`{
	const box = document.getElementById("${id}");
	box.value = ${quoted(text)};
	box.dispatchEvent(new Event("input"));
}`);

const idle = () => browser.until(`!document.getElementById("run").disabled && document.getElementById("result").ariaBusy !== "true"`);

/* Do something that runs the program, and wait for the result. */
async function run(action) {
	await browser.value(`document.getElementById("verdict")?.remove()`);
	await action();
	await browser.until(`document.getElementById("verdict")`);
	await idle();

	return text_of("verdict");
}

const run_program = (text) => write("program", text).then(() => run(() => press("run")));

async function fresh(options, hash = "") {
	await browser.open(`${address}${hash}`, options);
	await browser.until(`document.body?.dataset.ready`);
}

async function picture(name) {
	if (process.env.PICTURES)
		await browser.picture(`${process.env.PICTURES}/${name}.png`);
}

/*
 * The test of one part: with a page of its own, in which nothing may go wrong. A browser that has
 * ended by itself says nothing about the page: once, another one takes its place.
 */
async function part(name, test, options = {}) {
	if (wanted.length && !wanted.includes(name))
		return;

	const begin = Date.now();

	try {
		if (options !== "no page")
			await fresh(options);
		await test();
		check(!browser.complaints().length, `${name}: no error of the page`, browser.complaints().join("\n"));
		await browser.close_page();
		console.log(`# ${name}: ${Math.round((Date.now() - begin) / 1000)} s`);
	} catch (error) {
		if (!browser.gone || restarted) {
			check(false, name, error.stack);
			return;
		}
		console.log(`# ${name}: ${browser.gone}; once more`);
		restarted = true;
		await browser.end();
		browser = new Chromium();
		await part(name, test, options);
	}
}

/* --- Programs ------------------------------------------------------------ */

function native(chip, file) {
	const done = spawnSync("build/bin/nvfifo", ["run", `--model=${chip}`, "--json", file], { encoding: "utf8", maxBuffer: 1 << 28 });

	return JSON.parse(done.stdout).verdict;
}

async function examples() {
	const names = readdirSync("examples").filter((name) => name.endsWith(".nvp")).sort();

	for (const chip of CHIPS) {
		const wrong = [];

		await run(() => choose("chip", chip));
		for (let i = 0; i < names.length; i++) {
			const verdict = await run(() => choose("example", i)), want = native(chip, `examples/${names[i]}`);

			if (!verdict.includes(` ${want} `))
				wrong.push(`${names[i]}: ${verdict} instead of ${want}`);
		}
		check(!wrong.length, `${names.length} examples on ${chip}`, wrong.join("\n"));
	}
	await run(() => choose("example", 7));
	check(await browser.value(`document.querySelector("#result img").naturalWidth`) === 320, "the picture of an example");
	await picture("example");
}

async function lessons() {
	const { lessons: list } = JSON.parse(readFileSync("build/wasm/texts.json", "utf8"));

	check(list.length === 8 && list.every((lesson) => lesson.solve.length), "eight lessons");
	for (const chip of CHIPS) {
		const wrong = [];

		await run(() => choose("chip", chip));
		for (const [i, lesson] of list.entries()) {
			const answer = lesson.checks.find((one) => one.startsWith("answer "))?.slice(7) || "";
			const first = await run(() => choose("lesson", i));

			/* A wrong answer, then the solution */
			if (await solve(answer && "7"))
				wrong.push(`${lesson.name} is solved at once`);
			await write("program", lesson.solve.reduce((text, [from, to]) => text.replaceAll(from, to || ""), lesson.program));
			if (await solve(answer) === first.includes("SKIP"))
				wrong.push(`${lesson.name}: ${await text_of("verdict")}`);
		}
		check(!wrong.length, `each lesson with its question on ${chip}`, wrong.join("\n"));
	}
	await picture("lesson");
}

/* Press Check with an answer. Returns whether the page takes it. */
async function solve(answer) {
	if (answer)
		await browser.value(`document.getElementById("answer").value = ${quoted(answer)}`);
	await browser.value(`document.getElementById("lesson-verdict").textContent = ""`);
	await press("check");
	await browser.until(`document.getElementById("lesson-verdict").textContent`);

	return (await text_of("lesson-verdict")).includes("Right");
}

async function steps() {
	const drawing = () => browser.value(`document.getElementById("drawing").innerHTML`), forward = [];
	const here = () => browser.value(`[...document.querySelectorAll("#colours > div")].findIndex((line) => line.className === "here") + 1`);

	await press("forward");
	check(await here() === 29, "Step marks the line of the first word", await here());
	for (let i = 0; i < 8; i++) {
		forward.push(await drawing());
		await press("forward");
	}
	check(new Set(forward).size === 8, "each step changes the drawing");
	await picture("step");

	const back = [];

	for (let i = 0; i < 8; i++) {
		await press("back");
		back.unshift(await drawing());
	}
	check(forward.join() === back.join(), "the same drawings on the way back to the beginning");
	check(await browser.value(`document.getElementById("back").disabled`), "no step before the first word");
	await press("last");
	check((await text_of("where")).startsWith("After the last word"), "the end", await text_of("where"));
	check(/beef0001.*slot 0x02d.*found in/.test((await text_of("box-ramht")).replace(/\n/g, "")) ||
	      /80000000/.test(await text_of("box-ramht")), "the look-up in RAMHT", await text_of("box-ramht"));
	check(/PFIFO writes/.test(await text_of("box-access")), "the page walk of the last access", await text_of("box-access"));
}

const marked = (kind) => browser.value(`[...document.querySelectorAll("#colours > div")].flatMap((line, i) =>
	[...line.querySelectorAll(".mark-${kind}")].map((mark) => (i + 1) + ":" + mark.textContent)).join()`);

async function mistakes() {
	await write("program", "channel a\npush m {\n\tmthd 0 NOTHING : 1\n}\nsubmit a m\n");
	await browser.until(`document.querySelector("#findings .error")`);
	check((await text_of("findings")).includes("Line 3") && (await marked("error")).startsWith("3:NOTHING"), "lint marks a mistake in line 3",
	      `${await text_of("findings")} ${await marked("error")}`);

	check((await text_of("status")).startsWith("Changed"), "an old result does not pass for that of the new text", await text_of("status"));

	const verdict = await run(() => press("run"));

	check(verdict.includes("ERROR") && verdict.includes("line 3:"), "so does Run", verdict);
	await run_program("channel a\npush m {\n\tmthd 0 REF_CNT : 1\n\tmthd 0 DMA_SEMAPHORE : 0xdead\n}\nsubmit a m\nwait\n");
	check(await marked("died") === "4:0xdead", "the word of which the channel died is marked", await marked("died"));
	check(/Channel a died\. CACHE_ERROR.*HASH_FAILED.*handle/.test(await browser.value(`document.querySelector("section.error").textContent`)),
	      "with the sentence of explain");
	check((await advice()).includes("RAMHT of the channel has no object"), "what explain advises", await advice());
	await picture("mistake");
	await run_program("channel a\npush m {\n\tmthd 0 REF_CNT : 1\n\t.word 0xe0000000\n}\nsubmit a m\nwait\n");
	check((await advice()).includes("not a command"), "what explain advises about the pusher", await advice());
	check(/^4:\.word.*4:0xe0000000$/.test(await marked("died")), "the word that the pusher refuses is marked", await marked("died"));
}

/* Each lesson and example in which a channel dies has a sentence about it. */
async function deaths() {
	const programs = ["channel a\nobject 0x502d class 2D\npush m {\n\tmthd 3 OBJECT : 0x502d\n\tmthd 3 2D.DST_FORMAT : 0xffff\n}\nsubmit a m\nwait\n",
		...[["examples", /^1[12]-.*nvp$/], ["Documentation/guides/course", /^[258]-.*nvp$/]].flatMap(([folder, files]) =>
			readdirSync(folder).filter((name) => files.test(name)).map((name) => readFileSync(`${folder}/${name}`, "utf8")))];
	const wrong = [];

	for (const text of programs) {
		await run_program(text);
		if (!/[a-z]{3}/.test(await advice()) || /cut|not understood/.test(await advice()))
			wrong.push(`${text}\n${await advice()}`);
	}
	check(programs.length === 6 && !wrong.length, "explain has a sentence for each error", wrong.join("\n"));
}

const advice = () => browser.value(`document.querySelector("section.error .advice").textContent`);

async function endless() {
	await browser.value(`document.getElementById("patience").value = "600000"`);
	await write("program", `requires semaphore64\nbuffer code 4K system\nchannel a dma code\npush loop at code linear {\n` +
		`\tmthd 0 REF_CNT : 1\n\tjump code\n}\nsubmit a loop\npoll code+0x800 1\n`);
	await press("run");
	await press("stop");
	await idle();
	check((await text_of("verdict")).includes("STOPPED"), "an endless program is stopped", await text_of("verdict"));
	await press("run");
	check((await run(() => choose("example", 0))).includes("PASS"), "another program takes the place of an endless one");
	check((await run_program("channel a\npush m {\n\tmthd 0 REF_CNT : 1\n}\nsubmit a m\nwait\n")).includes("PASS"), "and the next one runs");
}

/* --- The page ------------------------------------------------------------ */

async function completion() {
	await browser.value(`document.getElementById("program").focus()`);
	await write("program", "");
	await browser.type("\tmthd 5 M2MF.LINE_");
	await browser.key(" ", { control: true, code: 32 });
	await browser.until(`!document.getElementById("choices").hidden && document.querySelector("#choices [aria-selected=true]")`);
	check(await browser.value(`document.querySelector("#choices li").textContent`) === "M2MF.LINE_LENGTH_IN", "methods are completed");
	await browser.key("Enter", { code: 13, text: "\r" });
	check(await browser.value(`document.getElementById("program").value`) === "\tmthd 5 M2MF.LINE_LENGTH_IN", "Enter takes the choice",
	      await browser.value(`document.getElementById("program").value`));

	await write("program", "");
	await browser.type("\tmthd 4 2D.OPERATION : SRC");
	await browser.until(`document.getElementById("choices").textContent.includes("SRCCOPY")`);
	check(true, "and values, without being asked");
	await browser.key("Escape", { code: 27 });
	check(await browser.value(`document.getElementById("choices").hidden`), "Escape closes the list");
	check(await browser.value(`document.querySelector(".tok-method").textContent`) === "2D.OPERATION", "colours come from the grammar");
}

async function links() {
	await run(() => choose("chip", "gt215"));
	await write("program", "channel a # \u00e4\u4e16<b>\npush m {\n}\nsubmit a\n");
	await press("share");
	await browser.until(`!document.getElementById("link-row").hidden`);

	const hash = await browser.value("location.hash");

	await browser.close_page();
	await fresh({}, hash);
	check(await browser.value(`document.getElementById("program").value`) === "channel a # \u00e4\u4e16<b>\npush m {\n}\nsubmit a\n" &&
	      await browser.value(`document.getElementById("chip").value`) === "gt215", "a link has program and chip");
	await browser.close_page();
	await fresh({}, hash.slice(0, -9));
	check((await text_of("status")).includes("cut") && (await text_of("verdict")).includes("PASS"), "a damaged link is one sentence, and the page lives",
	      await text_of("status"));
}

async function box(name, text, until) {
	await write(`${name}-text`, text);
	await browser.value(`document.getElementById("${name}-output").textContent = ""`);
	await press(`${name}-go`);
	await browser.until(`${until}.test(document.getElementById("${name}-output").textContent)`);

	return text_of(`${name}-output`);
}

async function boxes() {
	const words = "00040060 beef0001 00040064 00000040\n".repeat(5700), answer = await box("dump", words, "/\\S{3}/");

	check(words.length > 200000 && answer.split("\n").length > 20000 && answer.includes("DMA_SEMAPHORE"), "a dump of 200 KB");
	check((await box("dump", readFileSync("tests/data/mesa-gles2-nv96.txt", "utf8"), "/\\S{3}/")).includes("3D."), "a capture of Mesa");
	check((await box("explain", readFileSync("tests/golden/kernel.log", "utf8"), "/\\S{3}/")).includes("CACHE_ERROR"), "a kernel log");
}

/* Whatever is typed: an answer, and a page that still works */
async function bad_input() {
	const inputs = ["", "\u0000\u0001\ufffd\ud800", "<img src=x onerror=alert(1)>", "}".repeat(5000), "push ".repeat(3000), "x".repeat(200000),
		"buffer b 64M vram\nbuffer c 64M system\nchannel a\nwait\n", "channel a\npush m {\n".repeat(2000), "%s%n ${x} \\u0000 \u202e"];

	for (const [i, text] of inputs.entries()) {
		const verdict = await run_program(text);

		check(/ERROR|FAIL|PASS/.test(verdict), `bad input ${i} in the editor`, verdict);
		check(!!await box("dump", text, "/\\S{3}/") && !!await box("explain", text, "/\\S{3}/"), `bad input ${i} in the boxes`);
	}
	const long = "# a line of many\n".repeat(200000);

	check(/ERROR|FAIL|PASS/.test(await run_program(long)) && !!await box("dump", "00040050 00000001\n".repeat(400000), "/\\S{3}/"),
	      "programs and dumps of millions of characters");
	check((await text_of("dump-output")).length < 3000000, "a long answer is cut", (await text_of("dump-output")).length);
	check(await browser.value(`document.querySelectorAll("img[src=x]").length`) === 0, "no input becomes markup");
	check((await run(() => choose("example", 0))).includes("PASS"), "the page still works");
}

/* --- Everybody ----------------------------------------------------------- */

async function keyboard() {
	const reached = new Set();

	await browser.value(`document.activeElement.blur()`);
	for (let i = 0; i < 60; i++) {
		await browser.key("Tab", { code: 9 });
		reached.add(await browser.value(`document.activeElement.id`));
	}
	for (const id of ["lesson", "example", "chip", "program", "run", "share", "forward", "slider", "dump-text", "dump-go", "explain-text", "explain-go"]) {
		if (id !== "slider" || await browser.value(`!document.getElementById("slider").disabled`))
			check(reached.has(id), `Tab reaches ${id}`, [...reached].join());
	}
	await browser.value(`document.getElementById("program").focus()`);
	check((await run(() => browser.key("Enter", { control: true, code: 13 }))).includes("PASS"), "Control and Enter run the program");
	await browser.value(`document.getElementById("forward").focus()`);
	await browser.key("Enter", { code: 13, text: "\r" });
	check((await text_of("where")).startsWith("Word 1 "), "Enter steps", await text_of("where"));
}

/* Each control has a name for those who do not see it. */
async function names() {
	await browser.send("Accessibility.enable");

	const { nodes } = await browser.send("Accessibility.getFullAXTree");
	const roles = ["button", "textbox", "combobox", "slider", "image", "link", "listbox", "region"];
	const controls = nodes.filter((node) => !node.ignored && roles.includes(node.role?.value));
	const nameless = controls.filter((node) => !node.name?.value);

	check(controls.length > 20 && !nameless.length, `${controls.length} controls have names`, quoted(nameless));
}

/*
 * Contrast by WCAG, 4.5 for text: of each piece of text that is shown, with what lies behind it. The
 * editor's own text is transparent; what one sees are the lines behind it. A disabled button may be faint.
 */
const LOW_CONTRAST = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	/* Any notation of a colour, over what is behind it */
	const paint = (colours) => {
		canvas.globalCompositeOperation = "source-over";
		for (const colour of colours) {
			canvas.fillStyle = colour;
			canvas.fillRect(0, 0, 1, 1);
		}
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const light = (colour) => colour.map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => (e ? [...behind(e.parentElement), getComputedStyle(e).backgroundColor] : ["#fff"]);
	const low = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	let seen = 0;

	while (walker.nextNode()) {
		const e = walker.currentNode.parentElement;
		/* A line of the editor lies beside the textarea, not in it. */
		const list = e.closest("#colours") ? [...behind(document.querySelector(".editor")), ...behind(e).slice(-3)] : behind(e);

		if (!walker.currentNode.data.trim() || !e.getClientRects().length || e.closest(":disabled, option, #program, noscript, script"))
			continue;

		const [front, back] = [paint([...list, getComputedStyle(e).color]), paint(list)].map(light);
		const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);

		seen++;
		if (ratio < 4.5)
			low.push(ratio.toFixed(2) + " " + e.tagName + "." + e.className + " " + walker.currentNode.data.slice(0, 30));
	}
	return { seen, low: low.join("\\n") };
})()`;

/* A program with all colours: lint's marks, a death, steps, a lesson's question */
async function contrast(scheme) {
	await run(() => choose("lesson", 4));
	await press("forward");
	await press("last");
	for (const i of [1, 2]) {
		const { seen, low } = await browser.value(LOW_CONTRAST);

		check(seen > 200 && !low, `contrast of ${seen} pieces of text, ${scheme} ${i}`, low);
		await run_program("# All colours\ntitle \"x\"\nbuffer sem 4K system\nchannel a\npush m {\n\tmthd 0 REF_CNT : 1\n" +
			"\tmthd 0 DMA_SEMAPHORE : 0xdead\n\tmthd 0 NOTHING2 : 0xffff\n}\nsubmit a m\nwait\n");
		await browser.until(`document.querySelector("#findings li")`);
		await run(() => choose("example", 0));
		for (let word = 0; word < 7; word++)
			await press("forward");
	}
}

async function narrow() {
	const wide = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 &&
		!e.closest(".scroll, .editor, pre")).map((e) => e.tagName + "#" + e.id).join()`;

	for (const i of [0, 7]) {
		await run(() => choose("example", i));
		await press("forward");
		check(await browser.value("document.scrollingElement.scrollWidth") <= 360, `360 pixels are enough, example ${i}`, await browser.value(wide));
	}
	await run(() => choose("lesson", 4));
	check(await browser.value("document.scrollingElement.scrollWidth") <= 360, "360 pixels are enough for a lesson", await browser.value(wide));
	await press("last");
	await picture("narrow");
}

async function dark() {
	await contrast("dark");
	check(await browser.value(`getComputedStyle(document.body).backgroundColor`) === "rgb(22, 24, 26)", "dark where the browser is");
	await press("last");
	await picture("dark");
}

async function without_webassembly() {
	await browser.open("about:blank");
	await browser.send("Page.addScriptToEvaluateOnNewDocument", { source: "delete globalThis.WebAssembly" });
	await browser.send("Page.navigate", { url: address });
	await browser.until(`document.getElementById("verdict")`);
	check((await text_of("verdict")).includes("no WebAssembly"), "a browser without WebAssembly: one sentence", await text_of("verdict"));
}

/* Without a web server */
async function local_file() {
	await browser.open(pathToFileURL(`${FOLDER}/index.html`).href);
	await browser.until(`document.body?.dataset.ready`);
	check((await text_of("verdict")).includes("PASS"), "the page runs from file://", await text_of("verdict"));
	check((await run(() => choose("chip", "gt215"))).includes("PASS"), "and its menus");
	await press("share");
	await browser.until(`!document.getElementById("link-row").hidden`);
	check((await browser.value("location.hash")).startsWith("#chip=gt215"), "and its link");
}

/* The policy lets no code of a page in, and nothing from elsewhere. */
async function policy() {
	await browser.value(`{
		const code = document.createElement("script");
		code.textContent = "globalThis.inline = true";
		document.head.append(code);
	}`);
	check(await browser.value("typeof inline") === "undefined", "no inline code runs");
	check(await browser.value(`fetch("http://localhost:9/").then(() => "", (error) => error.message)`) !== "" &&
	      browser.complaints().some((line) => line.includes("Content Security Policy")), "nothing is fetched from another host");
	/* These were the browser's complaints about the test. */
	browser.events = [];
}

function size() {
	const files = readdirSync(FOLDER), bytes = files.map((name) => gzipSync(readFileSync(`${FOLDER}/${name}`), { level: 9 }).length);
	const sum = bytes.reduce((a, b) => a + b);

	check(sum <= LIMIT, `${Math.ceil(sum / 1000)} KB of ${files.length} files, compressed`);
	check(readdirSync(PAGE).filter((name) => !name.endsWith(".svg")).every((name) => !/https?:\/\/|\beval\(|innerHTML/.test(readFileSync(`${PAGE}/${name}`, "utf8"))),
	      "no third-party host, no markup from text");
}

/* A few start, and the fastest counts: other work on the machine only makes it slower. */
async function start_time() {
	const times = [];

	for (let i = 0; i < 5; i++) {
		await fresh();
		times.push(Number(await browser.value("document.body.dataset.first")));
		await browser.close_page();
	}
	await browser.open("about:blank");
	console.log(`# first result after ${Math.min(...times)} ms (of ${times.join(", ")})`);
	check(times.every((time) => time > 0), "the first result comes by itself");
}

const server = await serve(FOLDER);

address = `http://127.0.0.1:${server.address().port}/`;
browser = new Chromium();
try {
	size();
	await part("start", start_time, "no page");
	await part("examples", examples);
	await part("lessons", lessons);
	await part("steps", steps);
	await part("mistakes", mistakes);
	await part("deaths", deaths);
	await part("endless", endless);
	await part("completion", completion);
	await part("links", links);
	await part("boxes", boxes);
	await part("bad input", bad_input);
	await part("keyboard", keyboard);
	await part("names", names);
	await part("light", () => contrast("light"));
	await part("dark", dark, { dark: true });
	await part("narrow", narrow, { width: 360, height: 740 });
	await part("no WebAssembly", without_webassembly, "no page");
	await part("file", local_file, "no page");
	await part("policy", policy);
} finally {
	await browser.end();
	server.close();
}
console.log(`1..${count}`);
