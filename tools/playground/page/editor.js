// SPDX-License-Identifier: MIT
/*
 * The editor: a textarea, and behind it the same text in colours with marks. The textarea has the
 * caret, the selection and all keys, so that it works as one does everywhere.
 */
import { element } from "./dom.js";

/* Lines beyond are one piece of plain text, without marks; nobody types such a program. */
const COLOURED_LINES = 3000;

export class Editor {
	constructor(input, back, grammar) {
		this.input = input;
		this.back = back;
		this.grammar = grammar;
		this.marks = new Map();	/* line number -> { kind, text, from, to } */
		this.here = 0;
		this.changed = () => {};
		input.addEventListener("input", () => {
			this.marks.clear();
			this.here = 0;
			this.draw();
			this.changed();
		});
		input.addEventListener("scroll", () => this.scroll());
	}

	get text() {
		return this.input.value;
	}

	set text(text) {
		this.input.value = text;
		this.input.setSelectionRange(0, 0);
		this.input.scrollTop = 0;
		this.marks.clear();
		this.here = 0;
		this.draw();
	}

	scroll() {
		this.back.scrollTop = this.input.scrollTop;
		this.back.scrollLeft = this.input.scrollLeft;
	}

	/*
	 * Marks of one kind: { line, column, text }; column 0 or none marks the whole line. A line has
	 * one mark: the death of a channel goes before what lint finds.
	 */
	set_marks(kind, marks) {
		const lines = this.text.split("\n");

		for (const [line, mark] of this.marks) {
			if (mark.kind === kind)
				this.marks.delete(line);
		}
		for (const { line, column, text } of marks) {
			const source = lines[line - 1];

			if (source === undefined || (this.marks.has(line) && kind !== "died"))
				continue;

			const indent = source.length - source.trimStart().length;
			const from = column > 1 ? column - 1 : indent;
			const word = source.slice(from).match(/^(?:[\w.[\]]+|\S)/);

			this.marks.set(line, { kind, text, from, to: column && word ? from + word[0].length : source.length });
		}
		this.draw();
	}

	/* Show the line of the word at which Step stands; 0 for none. */
	set_here(line) {
		this.here = line;
		this.draw();
		if (line)
			this.show(line);
	}

	/* Scroll a line into the middle if it cannot be seen. */
	show(line) {
		const height = parseFloat(getComputedStyle(this.input).lineHeight), top = (line - 1) * height;

		if (top < this.input.scrollTop || top > this.input.scrollTop + this.input.clientHeight - 2 * height)
			this.input.scrollTop = Math.max(0, top - this.input.clientHeight / 2);
		this.scroll();
	}

	/* Put the caret at a place and scroll there. */
	go(line, column) {
		const lines = this.text.split("\n").slice(0, line - 1);
		const at = lines.reduce((sum, text) => sum + text.length + 1, 0) + Math.max(0, (column || 1) - 1);

		this.input.focus();
		this.input.setSelectionRange(at, at);
		this.show(line);
	}

	draw() {
		const lines = this.text.split("\n");

		this.back.replaceChildren(...lines.slice(0, COLOURED_LINES).map((line, i) => this.draw_line(line, i + 1)));
		if (lines.length > COLOURED_LINES)
			this.back.append(element("div", null, lines.slice(COLOURED_LINES).join("\n")));
		this.scroll();
	}

	draw_line(line, number) {
		const mark = this.marks.get(number), row = element("div");
		const pieces = this.grammar.pieces(line);
		let at = 0;

		if (number === this.here)
			row.className = "here";
		for (const [name, text] of pieces) {
			this.draw_piece(row, name, text, at, mark);
			at += text.length;
		}
		if (!line)
			row.append("\u200b");

		return row;
	}

	/* A piece in up to three parts: before, in and after the mark */
	draw_piece(row, name, text, at, mark) {
		const cuts = mark ? [mark.from - at, mark.to - at] : [];
		const places = [0, ...cuts.filter((cut) => cut > 0 && cut < text.length), text.length];

		for (let i = 0; i + 1 < places.length; i++) {
			const inside = mark && at + places[i] >= mark.from && at + places[i] < mark.to;
			const classes = [name && `tok-${name}`, inside && `mark-${mark.kind}`].filter(Boolean).join(" ");
			const part = text.slice(places[i], places[i + 1]);

			row.append(classes ? element("span", { class: classes }, part) : part);
		}
	}
}
