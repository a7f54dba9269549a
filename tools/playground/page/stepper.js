// SPDX-License-Identifier: MIT
/* Forward and back through the stops of a run. */
import { draw_step } from "./drawing.js";
import { find_row } from "./run.js";

export class Stepper {
	/* parts: elements by their names; on_line: called with the line of the word, 0 for none */
	constructor(parts, on_line) {
		this.parts = parts;
		this.on_line = on_line;
		this.at = -1;
		this.run = null;
		parts.back.addEventListener("click", () => this.go(this.at - 1));
		parts.forward.addEventListener("click", () => this.go(this.at + 1));
		parts.first.addEventListener("click", () => this.go(0));
		parts.last.addEventListener("click", () => this.go(this.run.steps.length - 1));
		parts.slider.addEventListener("input", () => this.go(Number(parts.slider.value)));
		this.take(null);
	}

	/* A new run begins before its first word; null for none. */
	take(run) {
		this.run = run && run.steps.length ? run : null;
		this.at = -1;
		this.parts.slider.max = this.run ? this.run.steps.length - 1 : 0;
		this.parts.drawing.replaceChildren();
		this.show();
	}

	go(at) {
		if (!this.run)
			return;

		this.at = Math.max(0, Math.min(at, this.run.steps.length - 1));
		draw_step(this.parts.drawing, this.run, this.at);
		this.show();
	}

	show() {
		const count = this.run ? this.run.steps.length : 0, step = this.at >= 0 ? this.run.steps[this.at] : null;
		const found = step && step.buffer ? find_row(this.run, step.buffer, step.offset) : null;

		this.parts.slider.disabled = !count;
		this.parts.slider.value = Math.max(0, this.at);
		this.parts.back.disabled = this.parts.first.disabled = this.at <= 0;
		this.parts.forward.disabled = this.parts.last.disabled = !count || this.at === count - 1;
		this.parts.where.textContent = this.text(step, found, count);
		this.on_line(found ? found.row.line : 0);
	}

	text(step, found, count) {
		if (!count)
			return "Run a program to step through it.";

		const words = this.run.complete ? `${count - 1} words` : `the first ${count} words`;
		if (!step)
			return `${words} were recorded. Press Forward for the first one.`;
		if (!step.step)
			return `After the last word of ${words}.`;

		return `Word ${step.step} of ${words}: ${step.value || "the driver's own"}${found ? `, ${found.row.word.text}, line ${found.row.line}` : ""}`;
	}
}
