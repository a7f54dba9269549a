#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No page of the documentation is wider than the window: chromium lays each out without a screen.

	page_width.py HTML-DIRECTORY [PIXELS]

PIXELS is the width of the window, 1280 by default. Prints a line for each page that is wider, with the
element that sticks out most. Exit status 1 for such a page, or if fewer pages answer than there are.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Runs at the end of each page.
MEASURE = """<script>
addEventListener("load", () => {
	const root = document.documentElement;
	let worst = {right: 0, text: ""};
	for (const e of document.body.querySelectorAll("table, img, object, dl, p, pre")) {
		const right = e.getBoundingClientRect().right;
		if (right > worst.right)
			worst = {right, text: e.tagName + " " + (e.innerText || e.src || e.data || "").slice(0, 50)};
	}
	parent.postMessage([root.scrollWidth, root.clientWidth, worst.text], "*");
});
</script>
"""
# Loads the pages one after the other in a frame, and leaves the answers in its text.
FRAME = """<!DOCTYPE html><meta charset="utf-8"><body><iframe width="%d" height="800" style="border: 0"></iframe>
<pre id="answers"></pre><script>
const pages = %s, answers = [], frame = document.querySelector("iframe");
addEventListener("message", e => {
	answers.push([pages[answers.length], ...e.data]);
	document.getElementById("answers").textContent = JSON.stringify(answers);
	next();
});
function next() { if (answers.length < pages.length) frame.src = pages[answers.length]; }
next();
</script>
"""


def main():
    source, width = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1280
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "html")
        shutil.copytree(source, folder)
        pages = []
        for directory, _, names in os.walk(folder):
            pages += [os.path.relpath(os.path.join(directory, name), folder) for name in names if name.endswith(".html")]
        pages.sort()
        for page in pages:
            with open(os.path.join(folder, page), "a", encoding="utf-8") as file:
                file.write(MEASURE)
        with open(os.path.join(folder, "frame.html"), "w", encoding="utf-8") as file:
            file.write(FRAME % (width, json.dumps(pages)))
        said = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={scratch}/profile",
             f"--window-size={width + 100},1000", "--virtual-time-budget=600000", "--dump-dom",
             f"file://{folder}/frame.html"], check=True, capture_output=True, text=True).stdout
    match = re.search(r'<pre id="answers">(.*?)</pre>', said, re.S)
    answers = json.loads(html.unescape(match[1])) if match and match[1] else []
    wide = [answer for answer in answers if answer[1] > answer[2]]
    for page, needed, window, text in wide:
        print(f"{page}: {needed} pixels wide in a window of {window}: {' '.join(text.split())}")
    if len(answers) < len(pages):
        print(f"{len(answers)} of {len(pages)} pages answered")
    return 1 if wide or len(answers) < len(pages) else 0


if __name__ == "__main__":
    sys.exit(main())
