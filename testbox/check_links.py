#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Links of the rendered documentation and of the Markdown files. Opens no connection.

	check_links.py HTML-DIRECTORY [FILE.md]...

A link within the pages leads to a file that is there, and to a place in it that has this name. Of
a link to elsewhere only the form is looked at. Prints a line for each link that is wrong.
"""
import html.parser
import os
import re
import sys
import urllib.parse

OUTSIDE = re.compile(r"https?://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:\d+)?(/[^\s\"<>]*)?$")
MARKDOWN = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


class Page(html.parser.HTMLParser):
    """Names of places in a page, and where its links lead"""

    def __init__(self, path):
        super().__init__()
        self.names, self.links = set(), []
        with open(path, encoding="utf-8") as page:
            self.feed(page.read())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.names.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        for key in ("href", "src", "data"):
            if attributes.get(key) and tag != "form":
                self.links.append((self.getpos()[0], attributes[key]))


class Links:
    """All links of some files"""

    def __init__(self):
        self.pages, self.wrong, self.count = {}, 0, 0

    def say(self, path, line, link, why):
        """A link that is wrong"""
        print(f"{path}:{line}: {link}: {why}")
        self.wrong += 1

    def names_in(self, path):
        """Names of places that a link may have after its '#'"""
        if path not in self.pages:
            if path.endswith(".md"):
                with open(path, encoding="utf-8") as text:
                    titles = HEADING.findall(text.read())
                self.pages[path] = {re.sub(r"[^a-z0-9 _-]", "", t.lower()).replace(" ", "-")
                                    for t in titles}
            else:
                self.pages[path] = Page(path).names
        return self.pages[path]

    def check(self, path, line, link):
        """One link of a file"""
        self.count += 1
        parts = urllib.parse.urlsplit(link)
        if parts.scheme in ("http", "https"):
            if not OUTSIDE.match(link):
                self.say(path, line, link, "this is no address")
            return
        if parts.scheme in ("mailto", "data"):
            return
        if parts.scheme:
            self.say(path, line, link, "neither a page nor http")
            return
        target = path
        if parts.path:
            target = os.path.normpath(os.path.join(os.path.dirname(path),
                                                   urllib.parse.unquote(parts.path)))
        if not os.path.exists(target):
            self.say(path, line, link, "there is no such file")
            return
        if parts.fragment and target.endswith((".html", ".md")):
            if urllib.parse.unquote(parts.fragment) not in self.names_in(target):
                self.say(path, line, link, "the file has no place with this name")


def main():
    """Exit status 1 for a wrong link, or for pages without one"""
    links = Links()
    for directory, _, names in os.walk(sys.argv[1]):
        for name in sorted(names):
            path = os.path.join(directory, name)
            if name.endswith(".html"):
                page = Page(path)
                links.pages[path] = page.names
                for line, link in page.links:
                    links.check(path, line, link)
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                for link in MARKDOWN.findall(line):
                    links.check(path, number, link)
    if not links.count:
        sys.exit(f"{sys.argv[1]}: no links")
    sys.exit(1 if links.wrong else 0)


main()
