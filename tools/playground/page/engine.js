// SPDX-License-Identifier: MIT
/*
 * Calls of the nvfifo command in workers. Each call has a worker and a memory of its own, one at
 * a time; to stop it is to end its worker.
 */

export class Stopped extends Error {}

export class Engine {
	constructor() {
		this.queue = Promise.resolve();
		this.next = null;
		this.running = null;
		this.stops = 0;
	}

	/* Load and compile the command, while a worker loads its scripts. Throws an Error with a sentence for a person. */
	async load() {
		if (typeof WebAssembly !== "object" || typeof Worker !== "function")
			throw new Error("This browser has no WebAssembly, which the playground needs.");

		this.next = this.worker();
		const answer = await fetch("nvfifo.wasm");
		if (!answer.ok)
			throw new Error(`nvfifo.wasm cannot be loaded: ${answer.status}.`);

		/* Not compileStreaming(): some web servers give no type for the file. */
		this.module = await WebAssembly.compile(await answer.arrayBuffer());
	}

	worker() {
		return new Worker("worker.js");
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
