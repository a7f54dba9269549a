// SPDX-License-Identifier: MIT
/* Short forms for elements. Text goes in as text only, so no program can become markup. */

/* An element with attributes, and children that are elements or text */
export function element(name, attributes, ...children) {
	const made = document.createElement(name);

	for (const [key, value] of Object.entries(attributes || {})) {
		if (key.startsWith("on"))
			made.addEventListener(key.slice(2), value);
		else if (value !== false && value !== null && value !== undefined)
			made.setAttribute(key, value === true ? "" : value);
	}
	made.append(...children.filter((child) => child !== null && child !== undefined));

	return made;
}

export const by_id = (id) => document.getElementById(id);

/* A table with a caption, a row of heads, and rows of cells: text, elements, or lists of both */
export function table(caption, heads, rows) {
	const cell = (name, content) => element(name, { scope: name === "th" ? "col" : null, class: /^[✓✗] \w+$/.test(content) ? "sign" : null },
		...[].concat(content));

	return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
		element("table", null, element("caption", null, caption),
			element("thead", null, element("tr", null, ...heads.map((head) => cell("th", head)))),
			element("tbody", null, ...rows.map(({ cells, ...attributes }) =>
				element("tr", attributes, ...cells.map((content) => cell("td", content)))))));
}
