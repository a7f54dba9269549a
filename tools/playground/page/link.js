// SPDX-License-Identifier: MIT
/* A program and its chip in the part of an address after "#", which no server gets. */

const LONGEST = 1 << 20;	/* bytes of a program in a link */

async function pass_through(bytes, stream) {
	return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

function to_text(bytes) {
	let text = "";

	for (const byte of bytes)
		text += String.fromCharCode(byte);

	return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function to_bytes(text) {
	return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
}

export async function link_of(chip, program) {
	const packed = await pass_through(new TextEncoder().encode(program), new CompressionStream("deflate-raw"));

	return `#chip=${chip}&program=${to_text(packed)}`;
}

/* The program of a link: null if it has none. Throws an Error if it is damaged. */
export async function read_link(hash) {
	const values = new URLSearchParams(hash.slice(1)), packed = values.get("program");

	if (!packed)
		return null;

	try {
		const bytes = await pass_through(to_bytes(packed), new DecompressionStream("deflate-raw"));
		const chip = values.get("chip");

		if (bytes.length > LONGEST)
			throw new Error("too long");
		return { chip: /^[a-z0-9]{3,5}$/.test(chip) ? chip : "g84",
			 program: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
	} catch (error) {
		throw new Error("The link does not contain a whole program; it may have been cut.");
	}
}
