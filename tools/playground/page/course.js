// SPDX-License-Identifier: MIT
/* The lessons: text, a program to change, and a question that the page checks. */
import { element } from "./dom.js";

/* "see ``mthd`` and *this*" as text and elements */
function inline(text) {
	return text.split(/(``.+?``|\*\*.+?\*\*|\*.+?\*)/).map((part) => {
		if (part.startsWith("``"))
			return element("code", null, part.slice(2, -2));
		if (part.startsWith("**"))
			return element("strong", null, part.slice(2, -2));
		return part.startsWith("*") && part.length > 2 ? element("em", null, part.slice(1, -1)) : part;
	});
}

function block({ type, text, items }) {
	if (type === "list")
		return element("ul", null, ...items.map((item) => element("li", null, ...inline(item))));
	if (type === "code")
		return element("pre", { tabindex: "0" }, text);
	return element("p", null, ...inline(text));
}

/* The words of memory at "sem+0x40" that a run shows after its end, as one value, or null */
function memory_word(result, place) {
	const [, buffer, offset] = place.match(/^(\w+)\+?(\w*)$/);

	for (const part of result.memory) {
		const index = (Number(offset || 0) - part.offset) / 4;

		if (part.buffer === buffer && part.after[index])
			return part.after[index];
	}

	return null;
}

/* Does a run do what a check asks: "memory sem 0000002a", "ref ch0 ...", "dead ch0", "verdict PASS"? */
function holds(run, check) {
	const [kind, name, value] = check.split(" "), result = run.result;
	const channel = result.channels ? result.channels.find((c) => c.name === name) : null;

	switch (kind) {
	case "verdict":
		return result.verdict === name;
	case "memory":
		return memory_word(result, name) === value;
	case "ref":
		return !!channel && channel.ref === value;
	case "dead":
		return !!channel && channel.state === "dead" && (!value || channel.error_text.includes(value));
	case "alive":
		return !!channel && channel.state === "alive";
	case "words":
		return run.pushes.some((push) => push.push === name && push.listing.length <= Number(value));
	default:
		return false;
	}
}

/* Whether a run or a typed answer solves a lesson */
export function solved(lesson, run, answer) {
	return lesson.checks.every((check) => {
		const [kind, value] = check.split(" ");

		if (kind === "answer")
			return answer.trim().toLowerCase().replace(/^0x0*(?=.)/, "") === value;
		return !!run && !!run.result && holds(run, check);
	});
}

/**
 * show_lesson - Fill the lesson's element
 * place: the element
 * lesson: of texts.json
 * on_check: called with the typed answer; returns whether the lesson is solved
 */
export function show_lesson(place, lesson, on_check) {
	const typed = lesson.checks.some((check) => check.startsWith("answer "));
	const input = element("input", { id: "answer", type: "text", size: "12", autocomplete: "off", spellcheck: "false" });
	const verdict = element("p", { id: "lesson-verdict", role: "status" });
	const check = element("button", { type: "button", id: "check" }, "Check");

	check.addEventListener("click", async () => {
		const good = await on_check(input.value);

		verdict.className = good ? "verdict good" : "verdict bad";
		verdict.textContent = good ? "✓ Right." : "✗ Not yet. The question is not solved by this.";
	});

	place.replaceChildren(element("h3", null, lesson.title), ...lesson.blocks.map(block),
		element("section", { class: "question", "aria-label": "Question" }, element("h4", null, "Question"),
			...lesson.question.map(block),
			element("p", null, typed ? element("label", { for: "answer" }, "Answer ") : null, typed ? input : null, check), verdict),
		element("details", null, element("summary", null, "Answer"), ...lesson.answer.map(block)));
}
