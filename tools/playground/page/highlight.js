// SPDX-License-Identifier: MIT
/* Colours of a line of a program, by the grammar that VS Code uses. */

export class Grammar {
	/* grammar: the parsed nvp.tmLanguage.json */
	constructor(grammar) {
		this.rules = grammar.patterns.map(({ include }) => {
			const name = include.slice(1), rule = grammar.repository[name];
			const source = rule.match || `${rule.begin}.*?(?:${rule.end})`;

			return { name, pattern: new RegExp(source, "g") };
		});
		this.lines = new Map();
	}

	/* The words of a rule that is a list of words, for completion */
	static words(grammar, name) {
		const list = grammar.repository[name].match.match(/\(([a-z0-9_.|\\]+)\)/);

		return list[1].replace(/\\/g, "").split("|");
	}

	/* Pieces of a line: [name of the rule or "", text] */
	pieces(line) {
		let pieces = this.lines.get(line);

		if (!pieces) {
			pieces = this.split(line);
			if (this.lines.size > 5000)
				this.lines.clear();
			this.lines.set(line, pieces);
		}

		return pieces;
	}

	split(line) {
		const pieces = [];
		let at = 0;

		while (at < line.length) {
			const found = this.first(line, at);

			if (!found)
				break;
			if (found.index > at)
				pieces.push(["", line.slice(at, found.index)]);
			pieces.push([found.name, found.text]);
			at = found.index + found.text.length;
		}
		if (at < line.length)
			pieces.push(["", line.slice(at)]);

		return pieces;
	}

	/* The rule that matches first; of those at one place the one that comes first in the grammar */
	first(line, at) {
		let best = null;

		for (const { name, pattern } of this.rules) {
			pattern.lastIndex = at;
			const match = pattern.exec(line);

			if (match && match[0] && (!best || match.index < best.index))
				best = { name, index: match.index, text: match[0] };
		}

		return best;
	}
}
