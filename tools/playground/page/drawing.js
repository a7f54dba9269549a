// SPDX-License-Identifier: MIT
/*
 * The drawing of a stop: pushbuffer, pusher, cache, puller, RAMHT, page walk, registers. It is made
 * of cells with text, so that it can be read aloud and fits a narrow screen. What the last word has
 * changed is marked by a dot and a frame, not by its colour alone.
 */
import { element } from "./dom.js";
import { find_row } from "./run.js";

const CACHE_SLOTS = 6;	/* drawn; the rest is a number */

const hex = (number, digits) => number.toString(16).padStart(digits, "0");

/* A part of the card with its title */
function box(name, title, changed, ...parts) {
	return element("section", { class: changed ? "box changed" : "box", id: `box-${name}` },
		element("h3", null, title, changed ? element("span", { class: "dot", title: "changed by this step" }, " ●") : null), ...parts);
}

/* A place in hardware: what it is, above what it has. kind: "changed", "bad", "empty", or none */
function cell(label, value, kind) {
	return element("li", { class: kind ? `cell ${kind}` : "cell" }, element("span", { class: "label" }, label, " "),
		element("span", { class: "value" }, value));
}

const cells = (...list) => element("ol", { class: "cells" }, ...list);
/* Each leads to the next one. */
const chain = (...list) => element("ol", { class: "cells chain" }, ...list);
const note = (text) => element("p", { class: "note" }, text);
const change = (now, was) => (was !== undefined && was !== now ? "changed" : "");

/* Words of the pushbuffer around the one that the pusher has taken */
function pushbuffer(run, step) {
	const found = step.buffer ? find_row(run, step.buffer, step.offset) : null;

	if (!found)
		return box("push", "Pushbuffer", false, note(step.step ? "The driver's own words, which write the fence." : "The program has ended."));

	const first = Math.max(0, found.index - 2);
	const rows = found.push.listing.slice(first, first + 6);

	return box("push", `Pushbuffer ${found.push.push}`, true,
		element("ol", { class: "words" }, ...rows.map((row, i) => element("li", { "aria-current": first + i === found.index ? "step" : null },
			first + i === found.index ? "▶ " : "  ", row.word.word, " ", row.word.text))));
}

function pusher(step, last) {
	const state = parseInt(step.registers["CACHE1.DMA_STATE"], 16), ib = `${step.ib_get} of ${step.ib_put}`;
	const open = `${step.left} data word${step.left === 1 ? "" : "s"} to come for subchannel ${state >> 13 & 7}, method ${hex(state & 0x1ffc, 4)}`;

	return box("pusher", "Pusher", !last || step.get !== last.get,
		cells(cell("GET", step.get, last && change(step.get, last.get)), cell("PUT", step.put, last && change(step.put, last.put)),
			cell("IB entries read", ib, last && change(ib, `${last.ib_get} of ${last.ib_put}`)), cell("channel", String(step.channel))),
		note(step.left ? open : "No command is open: the next word is a header."));
}

function cache(step, last) {
	const shown = step.cache.slice(0, CACHE_SLOTS);
	const slots = shown.map((entry) => cell(`subchannel ${entry.subchannel}`, `${entry.method} ← ${entry.data}`));

	while (slots.length < CACHE_SLOTS)
		slots.push(cell(`slot ${slots.length + 1}`, "empty", "empty"));

	return box("cache", `Cache, ${step.cached} method${step.cached === 1 ? "" : "s"}`, !last || step.cached !== last.cached, cells(...slots),
		step.cached > shown.length ? note(`and ${step.cached - shown.length} more`) : null);
}

/* What the puller did since the last stop, without the lines of a card that is set up */
function puller(step, last) {
	const lines = step.card.filter((line) => /^(M|ERR|WAIT|ENG|SW) /.test(line)).slice(-4);

	return box("puller", "Puller", !!last && step.executed !== last.executed,
		cells(cell("methods executed", String(step.executed), last && change(step.executed, last.executed))),
		...lines.map((line) => element("p", { class: line.startsWith("ERR") ? "note bad" : "note" }, line.startsWith("ERR") ? "✗ " : "",
			line.replace(/^M ch/, "channel"))));
}

/* The hash of a handle folds it by XOR into the number of a slot. */
function ramht(step, last) {
	const look = step.ramht, fresh = look && (!last || !last.ramht || last.ramht.lookups !== look.lookups);

	if (!look)
		return box("ramht", "RAMHT", false, note("No handle has been looked up yet."));

	const steps = [cell("handle", look.handle), cell("bits folded by XOR", `slot 0x${hex(look.hash, 3)}`)];

	if (!look.found)
		steps.push(cell("found in", "✗ no slot has this handle", "bad"));
	else
		steps.push(cell("found in", `slot 0x${hex(look.slot, 3)}: ${look.context}`),
			cell("object", `at 0x${look.context.slice(4)}0, engine ${look.context[2]}`));

	return box("ramht", "RAMHT, last look-up", fresh, chain(...steps));
}

/* An address goes through the page directory and a page table, or the TLB knows it. */
function walk(name, title, now, before) {
	const fresh = now && (!before || before.walks !== now.walks);

	if (!now)
		return box(name, title, false, note("No walk yet."));

	const table = now.tlb ? "empty" : "";

	return box(name, title, fresh,
		chain(cell(`${now.engine} ${now.write ? "writes" : "reads"}`, now.va), cell(`PDE ${now.pde_index}`, now.pde, table),
			cell(`PTE at ${now.pte_at}`, now.pte, table),
			now.fault ? cell("fault", "✗ the access failed", "bad") : cell(now.target, now.address)),
		note(now.tlb ? "The TLB had the entry: no table was read." : "The TLB missed: both tables were read from memory."));
}

/* A register's digits, those that have changed in bold */
function digits(now, was) {
	return [...now].map((digit, i) => (was && was[i] !== digit ? element("b", null, digit) : digit));
}

function registers(step, last) {
	const rows = Object.entries(step.registers).map(([name, value]) => [name, value, last ? last.registers[name] : undefined]);

	return box("registers", "Registers", rows.some(([, value, was]) => change(value, was)),
		element("dl", null, ...rows.flatMap(([name, value, was]) => [element("dt", null, name),
			element("dd", { class: change(value, was) || null }, ...digits(value, was))])));
}

function memory(step) {
	const words = step.memory.map((word) => cell(`${word.buffer}+${hex(word.offset, 4)}`, `${word.before} → ${word.after}`, "changed"));
	const more = step.changed - words.length;

	return box("memory", "Memory", step.changed > 0, words.length ? cells(...words) : note("No word has changed."),
		more > 0 ? note(`and ${more} more words`) : null);
}

const arrow = () => element("span", { class: "arrow", "aria-hidden": "true" }, "→");

/* Draw stop number @at of a run. */
export function draw_step(place, run, at) {
	const step = run.steps[at], last = at ? run.steps[at - 1] : null;

	place.replaceChildren(
		element("div", { class: "flow" }, pushbuffer(run, step), arrow(), pusher(step, last)),
		element("div", { class: "flow" }, arrow(), cache(step, last), arrow(), puller(step, last)),
		ramht(step, last), walk("fetch", "Page walk of the pusher", step.fetch, last && last.fetch),
		walk("access", "Page walk of the last access", step.access, last && last.access),
		element("div", { class: "flow" }, registers(step, last), memory(step)));
}
