// SPDX-License-Identifier: MIT
/* The right side: verdict, error, picture, words, memory, channels, statements. */
import { element, table } from "./dom.js";
import { find_error } from "./run.js";

const WORDS_SHOWN = 2000;	/* rows; more would only make the page slow */

const verdicts = {
	PASS: ["✓", "good", "all as the program expects"],
	FAIL: ["✗", "bad", "something differs"],
	"NOT MODELLED": ["?", "bad", "the model left something out, so this is no result for a card"],
	SKIP: ["–", "plain", ""],
	ERROR: ["✗", "bad", ""],
};

function verdict(result) {
	const [sign, kind, text] = verdicts[result.verdict] || ["", "plain", ""];
	const why = result.why.replace(/^program\.nvp:/, "line ");

	return element("p", { class: `verdict ${kind}`, id: "verdict" }, element("strong", null, `${sign} ${result.verdict}`),
		` ${why || text}`);
}

/* The error of each dead channel, in the words of "nvfifo explain" */
function errors(run, advice, blamed) {
	const dead = run.result.channels.filter((channel) => channel.error_text);

	if (!dead.length)
		return null;

	return element("section", { class: "error", "aria-label": "Error" },
		...dead.map((channel) => element("p", null, element("strong", null, `Channel ${channel.name} died. `),
			channel.error_text, ". ", channel.fault_text ? `${channel.fault_text}. ` : "",
			element("span", { class: "advice" }, advice.get(channel.name) || ""))),
		blamed ? element("p", null, `The word is in line ${blamed.row.line}: ${blamed.row.word.text}`) : null);
}

function images(run) {
	const made = Object.entries(run.images).map(([name, png]) => element("figure", null,
		element("img", { src: URL.createObjectURL(new Blob([png], { type: "image/png" })), alt: `Picture ${name} that the program drew` }),
		element("figcaption", null, name)));

	return made.length ? element("section", { class: "pictures", "aria-label": "Pictures" }, ...made) : null;
}

function words(run, blamed, on_row) {
	const rows = [];

	for (const push of run.pushes) {
		push.listing.forEach((row, i) => {
			const bad = blamed && blamed.push === push && blamed.index === i;

			if (rows.length < WORDS_SHOWN)
				rows.push({
					class: bad || row.word.refused ? "bad" : null,
					"data-place": `${push.buffer}+${push.offset + i * 4}`,
					cells: [`${push.push}+${(i * 4).toString(16).padStart(4, "0")}`, row.word.word,
						bad ? [row.word.text, element("strong", null, " ⇐ the channel died here")] : row.word.text,
						element("button", { type: "button", "aria-label": `Go to line ${row.line}`,
							onclick: () => on_row(row) }, String(row.line))],
				});
		});
	}

	return table("Words with their meaning", ["place", "word", "meaning", "line"], rows);
}

function memory(result) {
	const rows = [];

	for (const part of result.memory) {
		part.after.forEach((after, i) => {
			const before = part.before[i], changed = before !== after;

			if (rows.length < WORDS_SHOWN)
				rows.push({ class: changed ? "changed" : null,
					cells: [`${part.buffer}+${(part.offset + i * 4).toString(16).padStart(4, "0")}`, before,
						changed ? element("strong", null, `→ ${after}`) : after] });
		});
	}

	return rows.length ? table("Memory before and after", ["place", "before", "after"], rows) : null;
}

function channels(result) {
	return table("Channels", ["channel", "state", "GET", "PUT", "IB_GET", "IB_PUT", "REF"],
		result.channels.map((c) => ({ class: c.state === "dead" ? "bad" : null,
			cells: [c.name, c.state === "dead" ? "✗ dead" : "alive", c.get, c.put, String(c.ib_get), String(c.ib_put), c.ref] })));
}

function checks(result) {
	return table("Statements as they happened", ["line", "", "what"], result.checks.map((check) => ({
		class: check.ok ? null : "bad", cells: [String(check.line || ""), check.ok ? "✓ ok" : "✗ different", check.text] })));
}

/**
 * show_result - Fill the right side
 * place: its element
 * run: of read_run()
 * advice: sentences by the names of channels
 * on_row: called with a row of a listing when its line is pressed
 */
export function show_result(place, run, advice, on_row) {
	const result = run.result, ran = ["PASS", "FAIL", "NOT MODELLED"].includes(result.verdict);
	const blamed = ran ? find_error(run) : null;

	for (const image of place.querySelectorAll("img"))
		URL.revokeObjectURL(image.src);
	place.replaceChildren(...[
		verdict(result),
		ran ? errors(run, advice, blamed) : null,
		images(run),
		run.pushes.length ? words(run, blamed, on_row) : null,
		ran ? memory(result) : null,
		ran ? channels(result) : null,
		ran ? checks(result) : null,
	].filter(Boolean));

	return blamed;
}
