// SPDX-License-Identifier: MIT
/*
 * A page in headless chromium, driven by its developer protocol over a pipe, and a web server for
 * the page's files on this machine.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
	".wasm": "application/wasm", ".svg": "image/svg+xml" };
/* A page on a busy machine takes long; a page that hangs has to fail some day. */
const PATIENCE_MS = 300000;

/* Serve a folder on a free port of this machine; a request's path goes to @asked. */
export function serve(folder, asked = () => {}) {
	const server = createServer((request, response) => {
		const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));

		asked(path);
		try {
			const body = readFileSync(join(folder, path === "/" ? "index.html" : path));

			response.writeHead(200, { "Content-Type": TYPES[extname(path)] || "text/html" });
			response.end(body);
		} catch {
			response.writeHead(404);
			response.end();
		}
	});

	return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

export class Chromium {
	constructor() {
		this.folder = mkdtempSync(join(tmpdir(), "nvfifo-chromium-"));
		this.answers = new Map();
		this.events = [];
		this.count = 0;
		this.rest = "";
		this.child = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
			`--user-data-dir=${this.folder}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.child.stdio[4].on("data", (data) => this.take(data));
		this.child.on("exit", () => this.give_up("chromium has ended"));
		this.child.on("error", (error) => this.give_up(`chromium cannot be started: ${error.message}`));
		this.child.stdio[3].on("error", () => {});
	}

	/* Nothing answers any more. */
	give_up(why) {
		this.gone ||= why;
		for (const { reject } of this.answers.values())
			reject(new Error(why));
		this.answers.clear();
	}

	/* Messages end with a zero byte. */
	take(data) {
		const parts = (this.rest + data.toString("utf8")).split("\0");

		this.rest = parts.pop();
		for (const part of parts) {
			const message = JSON.parse(part), waits = this.answers.get(message.id);

			if (message.method === "Inspector.targetCrashed")
				this.give_up("the page's process has crashed");
			else if (!message.id)
				this.events.push(message);
			else if (!waits)
				continue;
			else if (message.error)
				waits.reject(new Error(`${waits.method}: ${message.error.message}`));
			else
				waits.resolve(message.result);
			this.answers.delete(message.id);
		}
	}

	send(method, params = {}, sessionId = this.session) {
		const id = ++this.count;

		if (this.gone)
			return Promise.reject(new Error(this.gone));

		this.child.stdio[3].write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);

		const late = setTimeout(() => this.give_up(`chromium does not answer ${method}`), 2 * PATIENCE_MS);

		return new Promise((resolve, reject) => this.answers.set(id, { method, resolve, reject })).finally(() => clearTimeout(late));
	}

	/* Open a page of its own. */
	async open(address, { width = 1280, height = 900, dark = false } = {}) {
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank" }, null);

		this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true }, null)).sessionId;
		this.events = [];
		await this.send("Inspector.enable");
		await this.send("Runtime.enable");
		await this.send("Log.enable");
		await this.send("Page.enable");
		await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 });
		await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
		this.target = targetId;
		await this.send("Page.navigate", { url: address });
	}

	async close_page() {
		await this.send("Target.closeTarget", { targetId: this.target }, null);
	}

	/* The value of an expression in the page, a promise's too */
	async value(expression) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });

		if (exceptionDetails)
			throw new Error(`${expression}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);

		return result.value;
	}

	/* Wait until an expression in the page is true. */
	async until(expression) {
		const end = Date.now() + PATIENCE_MS;

		while (!await this.value(`Boolean(${expression})`)) {
			if (Date.now() > end)
				throw new Error(`this did not become true: ${expression}`);
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}

	/* Press a key, such as "Tab", with or without Control; or type a text. */
	async key(key, { control = false, code = 0, text = "" } = {}) {
		const event = { key, windowsVirtualKeyCode: code, modifiers: control ? 2 : 0 };

		await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event, text });
		await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
	}

	type(text) {
		return this.send("Input.insertText", { text });
	}

	async picture(path, whole = true) {
		const { cssContentSize } = await this.send("Page.getLayoutMetrics");
		const clip = whole ? { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height, scale: 1 } : undefined;
		const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole, clip });

		writeFileSync(path, Buffer.from(data, "base64"));
	}

	/* Exceptions and errors in the console since the page was opened */
	complaints() {
		return this.events.flatMap(({ method, params }) => {
			if (method === "Runtime.exceptionThrown")
				return [params.exceptionDetails.exception?.description || params.exceptionDetails.text];
			if (method === "Log.entryAdded" && params.entry.level === "error")
				return [params.entry.text];
			return [];
		});
	}

	async end() {
		const running = this.child.pid && this.child.exitCode === null && this.child.signalCode === null;
		const exit = new Promise((resolve) => this.child.on("exit", resolve));

		if (this.gone)
			this.child.kill("SIGKILL");
		else
			this.send("Browser.close", {}, null).catch(() => {});
		if (running)
			await exit;
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 });
	}
}
