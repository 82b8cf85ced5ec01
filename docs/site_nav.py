"""The menu of the site (mkdocs.yml): the shelves that are there, in their order, and the language of each page."""

from pathlib import Path

from kiosk.head.web.help_guide import PAGES

SHELVES = {"setup": "Setup", "reference": "Reference", "develop": "Develop", "rules": "Rules"}


def on_config(config):
    docs = Path(config.docs_dir)
    nav = [{"Othello kiosk": "index.md"}]
    for lang, title in (("ja", "手引き"), ("en", "Guide")):
        nav.append({title: [f"guide/{lang}/{name}.md" for name in PAGES]})
    for shelf, title in SHELVES.items():
        found = sorted(path.relative_to(docs).as_posix() for path in (docs / shelf).rglob("*.md"))
        if found:
            nav.append({title: sorted(found, key=lambda path: not path.endswith("/index.md"))})
    config.nav = nav
    return config


def on_post_page(output, page, config):
    japanese = page.file.src_uri.startswith("guide/ja/")
    return output.replace('<html lang="en"', '<html lang="ja"', 1) if japanese else output
