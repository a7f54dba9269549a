// SPDX-License-Identifier: MIT
/*
 * Calls of the nvfifo command in workers. Each call has a worker and a memory of its own, one at
 * a time; to stop it is to end its worker.
 */

export class Stopped extends Error {}

/* The bytes of a text in base64 of deflated bytes, as a stream */
function inflate(text) {
	const packed = atob(text), bytes = new Uint8Array(packed.length);

	for (let i = 0; i < bytes.length; i++)
		bytes[i] = packed.charCodeAt(i);

	return new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
}

export class Engine {
	constructor() {
		this.queue = Promise.resolve();
		this.next = null;
		this.running = null;
		this.stops = 0;
	}

	/* Compile the command, while a worker loads its script. Throws an Error with a sentence for a person. */
	async load() {
		const packed = globalThis.nvfifo_engine;

		if (typeof WebAssembly !== "object" || typeof Worker !== "function" || typeof DecompressionStream !== "function")
			throw new Error("This browser has no WebAssembly, or is too old: the playground cannot run in it.");
		if (!packed)
			throw new Error("The file engine.js beside this page is missing or damaged.");

		this.script = URL.createObjectURL(new Blob([packed.script], { type: "text/javascript" }));
		this.next = this.worker();
		this.module = await WebAssembly.compileStreaming(new Response(inflate(packed.code), { headers: { "Content-Type": "application/wasm" } }));
	}

	/* From a text that the page has: browsers load no worker's file from file://. */
	worker() {
		try {
			return new Worker(this.script);
		} catch (error) {
			throw new Error(`This browser starts no worker here: ${error.message}. A web server may help: python3 -m http.server`);
		}
	}

	/* Run the command after the calls before. Throws Stopped if stop() ended it. */
	call(args, files) {
		const stops = this.stops;
		const done = this.queue.then(() => {
			if (stops !== this.stops)
				throw new Stopped();
			return this.call_now(args, files);
		});

		this.queue = done.catch(() => {});
		return done;
	}

	call_now(args, files) {
		const worker = this.next || this.worker();

		this.next = null;
		return new Promise((resolve, reject) => {
			const end = (settle, value) => {
				worker.terminate();
				this.running = null;
				this.next = this.worker();
				settle(value);
			};

			this.running = () => end(reject, new Stopped());
			worker.onmessage = ({ data }) => end(resolve, data);
			worker.onerror = (event) => end(reject, new Error(`The engine cannot be loaded: ${event.message}`));
			worker.postMessage({ module: this.module, args, files });
		});
	}

	/* End the call that runs, and those that wait. */
	stop() {
		this.stops++;
		if (this.running)
			this.running();
	}
}
