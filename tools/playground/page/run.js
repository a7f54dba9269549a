// SPDX-License-Identifier: MIT
/* A run of a program: the command's lines of JSON, and what can be said about its error. */

/* The parts of "run --model --step --json": pushbuffers, stops, the result */
export function read_run(answer) {
	const run = { pushes: [], steps: [], result: null, images: answer.images, errors: answer.errors };

	for (const line of answer.output.split("\n")) {
		if (!line)
			continue;
		const value = JSON.parse(line);

		if ("push" in value)
			run.pushes.push(value);
		else if ("step" in value)
			run.steps.push(value);
		else
			run.result = value;
	}
	/* The last stop has no number; without it the recording ended before the program. */
	run.complete = run.steps.length === 0 || run.steps[run.steps.length - 1].step === 0;

	return run;
}

/* The row of a listing for a place in a buffer: { push, index, row }, or null */
export function find_row(run, buffer, offset) {
	for (const push of run.pushes) {
		const index = (offset - push.offset) / 4;

		if (push.buffer === buffer && index >= 0 && index < push.listing.length)
			return { push, index, row: push.listing[index] };
	}

	return null;
}

/* The last word before a stop that wrote this method with this data */
function find_method(run, stop, subchannel, method, data) {
	for (let i = stop; i >= 0; i--) {
		const step = run.steps[i], found = step.buffer && find_row(run, step.buffer, step.offset);
		const word = found && found.row.word;

		if (word && word.method === method && word.subchannel === subchannel &&
		    (word.kind === "data" ? word.word === data : word.kind === "header" && "data" in word))
			return found;
	}

	return null;
}

/* The row of the word that ended a channel, from the lines of the card; null if no word is to blame */
export function find_error(run) {
	for (let i = 0; i < run.steps.length; i++) {
		for (const line of run.steps[i].card) {
			const method = line.match(/^ERR .* subc (\d+).* mthd ([0-9a-f]{4}) data ([0-9a-f]{8})/);
			const pusher = line.match(/^ERR ch \d+ DMA_PUSHER .* word ([0-9a-f]{8})/);
			const found = method && find_method(run, i, Number(method[1]), method[2], method[3]);

			if (found)
				return found;
			if (pusher)
				return find_word(run, i, pusher[1]);
		}
	}

	return null;
}

/* The pusher refuses a word before it takes it: the one after the last stop's, or that one. */
function find_word(run, stop, word) {
	for (let i = stop; i >= 0; i--) {
		const step = run.steps[i];

		if (!step.buffer)
			continue;
		for (const offset of [step.offset, step.offset + 4]) {
			const found = find_row(run, step.buffer, offset);

			if (found && found.row.word.word === word)
				return found;
		}
	}

	for (const push of run.pushes) {
		const index = push.listing.findIndex((row) => row.word.word === word);

		if (index >= 0)
			return { push, index, row: push.listing[index] };
	}

	return null;
}

/*
 * What the driver's kernel log says of a dead channel, which is what "nvfifo explain" reads. Empty for
 * the errors that are a sentence already.
 */
export function kernel_line(run, channel) {
	const text = channel.error_text, card = "nvfifo 0000:00:00.0: ", head = `${card}channel ${channel.hw_id}: `;
	const fault = channel.fault_text.match(/^VM fault: (\w+) of 0x([0-9a-f]+), (.*); engine (.*), client (.*), slot (.*)$/);
	const [, subchannel, method] = text.match(/subchannel (\d), method 0x([0-9a-f]{4})/) || ["", "0", "0000"];
	const [, data] = text.match(/(?:data|command word) 0x([0-9a-f]{8})/) || ["", "00000000"];
	const [, kind, code, name] = text.match(/^(DMA_PUSHER|SEMAPHORE) error (\d), (\w+)/) || [];
	const [, cache_error] = text.match(/^CACHE_ERROR, PULL0 0x[0-9a-f]+, (\w+)/) || [];
	const [, graph_error] = text.match(/^PGRAPH (.*?): subchannel/) || [];

	if (fault)
		return `${card}VM fault: ${fault[1]} at ${fault[2]}, engine 0 ${fault[4]}, client 0 ${fault[5]}, slot ${fault[6]}, ` +
			`channel structure 00000000: ${fault[3]}\n`;
	if (kind === "DMA_PUSHER")
		return `${head}DMA_PUSHER ${name}, word ${data}, ${pusher_place(run, channel, Number(code))}, ` +
			`get ${channel.get} put ${channel.put} ib_get ${channel.ib_get.toString(16)} ib_put ${channel.ib_put.toString(16)} push ${data}\n`;
	if (kind === "SEMAPHORE")
		return `${head}SEMAPHORE ${name}, method ${method} data ${data}\n`;
	if (cache_error)
		return `${head}CACHE_ERROR ${cache_error}, subchannel ${subchannel} method ${method} data ${data}\n`;
	if (graph_error)
		return `${head}PGRAPH ${graph_error.replace(/ 0x[0-9a-f]+,/, "")}, intr ${channel.error_code} detail ${channel.error_detail}, ` +
			`class 0000 unknown subchannel ${subchannel} method ${method} data ${data}\n`;
	return "";
}

/* DMA_STATE at the last word of the program, with the error in its highest bits */
function pusher_place(run, channel, code) {
	const step = run.steps.findLast((one) => one.buffer && one.channel === channel.hw_id);
	const state = step ? parseInt(step.registers["CACHE1.DMA_STATE"], 16) % 0x20000000 : 0;
	const hex = (number, digits) => number.toString(16).padStart(digits, "0");

	return `subchannel ${state >> 13 & 7} method ${hex(state & 0x1ffc, 4)}, state ${hex(state + code * 0x20000000, 8)}`;
}

/* An error in the text, "program.nvp:3:9: why": { line, column, text }, or null */
export function text_error(text) {
	const found = text.match(/program\.nvp:(\d+):(\d+): (.*)/);

	return found && { line: Number(found[1]), column: Number(found[2]), text: found[3] };
}
