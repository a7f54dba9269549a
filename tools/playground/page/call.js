// SPDX-License-Identifier: MIT
/*
 * A call of the nvfifo command: a new instance of its WebAssembly, with files of its own. Both the
 * page's worker and the tests in node load this file.
 */
(function () {
	"use strict";

	/* Keep the bytes that a program writes to a descriptor. */
	function keep_output(fs, fd) {
		const stream = fs.streams[fd], chunks = [];

		/* Not a terminal: no colours, and large pieces */
		stream.tty = null;
		stream.stream_ops = {
			write(_stream, buffer, offset, length) {
				chunks.push(new Uint8Array(buffer.slice(offset, offset + length)));
				return length;
			},
		};

		return () => {
			const bytes = new Uint8Array(chunks.reduce((sum, c) => sum + c.length, 0));
			let at = 0;

			for (const chunk of chunks) {
				bytes.set(chunk, at);
				at += chunk.length;
			}
			return new TextDecoder().decode(bytes);
		};
	}

	/* The program's end is an exception of emscripten with the exit code. */
	function call_main(command, args) {
		try {
			return command.callMain(args);
		} catch (error) {
			if (error && error.name === "ExitStatus")
				return error.status;
			throw error;
		}
	}

	/**
	 * Run the command.
	 * create: the function of nvfifo.js
	 * module: the compiled nvfifo.wasm
	 * args: words of the command line
	 * files: text of each input file by its name; the command runs in their folder
	 * Returns exit code, standard output and error, images by their names, and bytes of memory.
	 */
	globalThis.nvfifo_call = async function (create, module, args, files) {
		const command = await create({
			noInitialRun: true,
			quit(_status, error) {
				throw error;
			},
			instantiateWasm(imports, done) {
				WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
				return {};
			},
		});
		const fs = command.FS, images = {};

		fs.mkdir("/work");
		fs.mkdir("/images");
		fs.chdir("/work");
		for (const name of Object.keys(files))
			fs.writeFile(name, files[name]);

		const output = keep_output(fs, 1), errors = keep_output(fs, 2);
		const code = call_main(command, args);

		for (const name of fs.readdir("/images")) {
			if (name.endsWith(".png"))
				images[name.slice(0, -4)] = fs.readFile(`/images/${name}`);
		}

		return { code, output: output(), errors: errors(), images, memory: command.HEAPU8.length };
	};
})();
