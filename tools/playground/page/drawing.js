// SPDX-License-Identifier: MIT
/*
 * The drawing of a stop: pushbuffer, pusher, cache, puller, RAMHT, page walk, registers. What the
 * last word has changed is marked by a dot and a frame, not by its colour alone.
 */
import { element } from "./dom.js";
import { find_row } from "./run.js";

const hex = (number, digits) => number.toString(16).padStart(digits, "0");

/* A box with a title, and rows of name and value; a row is marked if its value has changed. */
function box(name, title, changed, rows) {
	return element("section", { class: changed ? "box changed" : "box", id: `box-${name}` },
		element("h3", null, title, changed ? element("span", { class: "dot", title: "changed by this step" }, " ●") : null),
		element("dl", null, ...rows.flatMap(([key, value, was]) => [
			element("dt", null, key),
			element("dd", { class: was !== undefined && was !== value ? "changed" : null }, value),
		])));
}

/* Words of the pushbuffer around the one that the pusher has taken */
function pushbuffer(run, step) {
	const found = step.buffer ? find_row(run, step.buffer, step.offset) : null;

	if (!found)
		return element("section", { class: "box", id: "box-push" }, element("h3", null, "Pushbuffer"),
			element("p", null, step.step ? "The driver's own words, which write the fence." : "The program has ended."));

	const first = Math.max(0, found.index - 2);
	const rows = found.push.listing.slice(first, first + 6);

	return element("section", { class: "box changed", id: "box-push" },
		element("h3", null, `Pushbuffer ${found.push.push}`),
		element("ol", { class: "words" }, ...rows.map((row, i) => element("li", { "aria-current": first + i === found.index ? "step" : null },
			first + i === found.index ? "▶ " : "  ", row.word.word, " ", row.word.text))));
}

function pusher(step, last) {
	const state = parseInt(step.registers["CACHE1.DMA_STATE"], 16);
	const rows = [["GET", step.get, last && last.get], ["PUT", step.put, last && last.put],
		["IB_GET / IB_PUT", `${step.ib_get} / ${step.ib_put}`, last && `${last.ib_get} / ${last.ib_put}`],
		["channel", String(step.channel), last && String(last.channel)]];

	rows.push(["command", step.left ? `${step.left} data word${step.left === 1 ? "" : "s"} to come: subchannel ${state >> 13 & 7}, ` +
		`method ${hex(state & 0x1ffc, 4)}` : "none open"]);

	return box("pusher", "Pusher", !last || step.get !== last.get, rows);
}

function cache(step, last) {
	const rows = step.cache.map((entry, i) => [`${i + 1}`, `subchannel ${entry.subchannel} method ${entry.method} ← ${entry.data}`]);

	if (!rows.length)
		rows.push(["", "empty"]);
	if (step.cached > step.cache.length)
		rows.push(["", `and ${step.cached - step.cache.length} more`]);

	return box("cache", `Cache, ${step.cached} method${step.cached === 1 ? "" : "s"}`, !last || step.cached !== last.cached, rows);
}

/* What the puller did since the last stop, without the lines of a card that is set up */
function puller(step, last) {
	const lines = step.card.filter((line) => /^(M|ERR|WAIT|ENG|SW) /.test(line));
	const rows = [["executed", String(step.executed), last && String(last.executed)],
		...lines.slice(-6).map((line) => [line.startsWith("ERR") ? "error" : "", line.replace(/^M ch/, "channel")])];

	return box("puller", "Puller", !!last && step.executed !== last.executed, rows);
}

/* The hash of a handle folds it by XOR into the number of a slot. */
function ramht(step, last) {
	const look = step.ramht, fresh = look && (!last || !last.ramht || last.ramht.lookups !== look.lookups);

	if (!look)
		return box("ramht", "RAMHT", false, [["look-ups", "none yet"]]);

	const rows = [["handle", look.handle], ["hash", `slot 0x${hex(look.hash, 3)}: the handle's bits, folded by XOR`]];

	if (look.found)
		rows.push(["found in", `slot 0x${hex(look.slot, 3)}`], ["context", `${look.context}: object at 0x${look.context.slice(4)}0 of the channel, engine ${look.context[2]}`]);
	else
		rows.push(["found", "✗ no slot has this handle"]);

	return box("ramht", "RAMHT, last look-up", fresh, rows);
}

/* An address goes through the page directory and a page table, or the TLB knows it. */
function walk(name, title, now, before) {
	const fresh = now && (!before || before.walks !== now.walks);

	if (!now)
		return box(name, title, false, [["walks", "none yet"]]);

	const rows = [["address", `${now.va}, ${now.engine} ${now.write ? "writes" : "reads"}`],
		[`PDE ${now.pde_index}`, now.pde], ["PTE", `${now.pte}, read at ${now.pte_at}`],
		["TLB", now.tlb ? "had the entry" : "missed: both were read from memory"]];

	rows.push(now.fault ? ["fault", "✗ the access failed"] : ["memory", `${now.target} ${now.address}`]);

	return box(name, title, fresh, rows);
}

function registers(step, last) {
	const rows = Object.entries(step.registers).map(([name, value]) => [name, value, last ? last.registers[name] : undefined]);

	return box("registers", "Registers", rows.some(([, value, was]) => was !== undefined && was !== value), rows);
}

function memory(step) {
	const rows = step.memory.map((word) => [`${word.buffer}+${hex(word.offset, 4)}`, `${word.before} → ${word.after}`]);

	if (step.changed > rows.length)
		rows.push(["", `and ${step.changed - rows.length} more words`]);
	if (!rows.length)
		rows.push(["", "no word has changed"]);

	return box("memory", "Memory", step.changed > 0, rows);
}

const arrow = () => element("span", { class: "arrow", "aria-hidden": "true" }, "→");

/* Draw stop number @at of a run. */
export function draw_step(place, run, at) {
	const step = run.steps[at], last = at ? run.steps[at - 1] : null;

	place.replaceChildren(
		element("div", { class: "flow" }, pushbuffer(run, step), arrow(), pusher(step, last), arrow(), cache(step, last), arrow(), puller(step, last)),
		element("div", { class: "flow" }, ramht(step, last), walk("fetch", "Page walk of the pusher", step.fetch, last && last.fetch),
			walk("access", "Page walk of the last access", step.access, last && last.access), registers(step, last), memory(step)));
}
