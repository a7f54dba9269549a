// SPDX-License-Identifier: MIT
/*
 * Completion: statements and words from the grammar, methods and values from the command's tables.
 * The list opens by itself but takes no key until somebody goes into it with the arrow keys or opened
 * it with Ctrl+Space.
 */
import { element } from "./dom.js";
import { Grammar } from "./highlight.js";

const SHOWN = 12;

/* Values of a method's data: "=1c:BITMAP 1d:UNK1D" */
function values_of(data) {
	return (data || "").split(" ").map((word) => word.replace(/^=?[0-9a-f]+:/, ""))
		.filter((word) => /^[A-Z][A-Z0-9_]*$/.test(word));
}

export class Completion {
	constructor(editor, list, engine, grammar) {
		this.editor = editor;
		this.input = editor.input;
		this.list = list;
		this.engine = engine;
		this.tables = new Map();	/* class -> methods */
		this.words = ["statement", "command", "attribute"].flatMap((name) => Grammar.words(grammar, name));
		this.chosen = -1;
		this.input.addEventListener("input", () => this.update(false));
		this.input.addEventListener("keydown", (event) => this.key(event));
		this.input.addEventListener("blur", () => this.close());
	}

	/* Methods of a class, or PFIFO's own for "" */
	async table(name) {
		if (!this.tables.has(name)) {
			const answer = await this.engine.call(["methods", "--json", name || "PFIFO"], {});

			this.tables.set(name, answer.code === 0 ? JSON.parse(answer.output) : []);
		}

		return this.tables.get(name);
	}

	/* The text of the line up to the caret, and the word that is typed */
	context() {
		const before = this.input.value.slice(0, this.input.selectionStart);
		const line = before.slice(before.lastIndexOf("\n") + 1);

		return { line, word: line.match(/[\w.]*$/)[0] };
	}

	async candidates({ line, word }) {
		const method = line.match(/^\s*(?:mthd|0inc|1inc|ninc|long|immd)\s+\d\s+([\w.[\]]+)\s*[:\s].*$/);
		const of_class = word.match(/^([A-Z0-9]+)\.\w*$/);
		const rows = [];

		if (/#/.test(line))
			return [];
		if (method) {
			const family = method[1].includes(".") ? method[1].split(".")[0] : "";
			const name = method[1].replace(/\[.*/, "");
			const row = (await this.table(family)).find((m) => m.name.replace(/\[\]$/, "") === name);

			rows.push(...values_of(row && row.data));
		} else if (of_class) {
			rows.push(...(await this.table(of_class[1])).map((m) => m.name));
		} else if (/^\s*(?:mthd|0inc|1inc|ninc|long|immd)\s+\d\s+\w*$/.test(line)) {
			rows.push(...(await this.table("")).map((m) => m.name), "M2MF.", "2D.", "3D.", "COMPUTE.");
		} else {
			rows.push(...this.words);
		}

		return [...new Set(rows)].filter((row) => row !== word && row.startsWith(word));
	}

	async update(asked) {
		const context = this.context();

		if (!asked && context.word.length < 3) {
			this.close();
			return;
		}

		const found = await this.candidates(context).catch(() => []);

		/* Somebody typed on while the command answered. */
		if (this.context().line !== context.line)
			return;
		this.found = found.slice(0, SHOWN);
		this.word = context.word;
		this.chosen = asked && found.length ? 0 : -1;
		this.draw(found.length);
	}

	draw(count) {
		this.list.replaceChildren(...this.found.map((text, i) => element("li", {
			id: `choice-${i}`, role: "option", "aria-selected": i === this.chosen ? "true" : "false",
			onmousedown: (event) => {
				event.preventDefault();
				this.take(i);
			},
		}, text)));
		if (count > this.found.length)
			this.list.append(element("li", { role: "presentation", class: "more" }, `and ${count - this.found.length} more`));
		this.list.hidden = !this.found.length;
		this.place();
		this.input.setAttribute("aria-expanded", this.list.hidden ? "false" : "true");
		if (this.chosen >= 0)
			this.input.setAttribute("aria-activedescendant", `choice-${this.chosen}`);
		else
			this.input.removeAttribute("aria-activedescendant");
	}

	/* Below the caret: all characters have one width. A tab is eight wide. */
	place() {
		const style = getComputedStyle(this.input), height = parseFloat(style.lineHeight);
		const before = this.input.value.slice(0, this.input.selectionStart).split("\n");
		const column = [...before[before.length - 1]].reduce((x, c) => (c === "\t" ? x + 8 - x % 8 : x + 1), 0);
		const x = column * parseFloat(style.fontSize) * 0.6 - this.input.scrollLeft;

		this.list.style.top = `${before.length * height - this.input.scrollTop + 8}px`;
		this.list.style.left = `${Math.max(0, Math.min(x, this.input.clientWidth - 200))}px`;
	}

	close() {
		this.found = [];
		this.list.hidden = true;
		this.input.setAttribute("aria-expanded", "false");
		this.input.removeAttribute("aria-activedescendant");
	}

	take(i) {
		const end = this.input.selectionStart;

		/* execCommand keeps the browser's undo. */
		this.input.setSelectionRange(end - this.word.length, end);
		if (!document.execCommand("insertText", false, this.found[i]))
			this.input.setRangeText(this.found[i], end - this.word.length, end, "end");
		this.close();
	}

	key(event) {
		if (event.key === " " && event.ctrlKey) {
			event.preventDefault();
			this.update(true);
		} else if (this.list.hidden) {
			return;
		} else if (event.key === "Escape") {
			this.close();
		} else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			const count = this.found.length;

			event.preventDefault();
			this.chosen = (this.chosen + (event.key === "ArrowDown" ? 1 : -1) + count) % count;
			this.draw(count);
		} else if (event.key === "Enter" && this.chosen >= 0) {
			event.preventDefault();
			this.take(this.chosen);
		}
	}
}
