"""Reading HTML back: what is open must be closed."""

from html.parser import HTMLParser

__all__ = ["read"]


class Tags(HTMLParser):
    """Collects the tags, and fails on those that are not closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.attributes, self.texts = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags
