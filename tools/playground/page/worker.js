// SPDX-License-Identifier: MIT
/* One call of the command, off the page's thread, after nvfifo.js and call.js. The page ends this worker after it. */
onmessage = async function ({ data }) {
	try {
		postMessage(await nvfifo_call(createNvfifo, data.module, data.args, data.files));
	} catch (error) {
		postMessage({ code: -1, output: "", errors: `The engine stopped: ${error}`, images: {} });
	}
};
