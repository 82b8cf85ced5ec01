"""Malicious spreadsheets and pictures: small files that expand to a large size when read."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import cv2
import numpy as np
import xlsxwriter

_XML = '<?xml version="1.0" encoding="UTF-8"?>'
_OFFICE = "http://schemas.openxmlformats.org"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"


def packed(files: Mapping[str, bytes | str]) -> bytes:
    """Return a zip archive of these files."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return written.getvalue()


def workbook(rows: str, strings: str = "") -> bytes:
    """Return an .xlsx of one sheet with these rows of XML; ``strings``: the shared strings, as XML."""
    kinds = "".join(
        f'<Override PartName="/xl/{name}.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        f'spreadsheetml.{kind}+xml"/>'
        for name, kind in (
            ("workbook", "sheet.main"),
            ("worksheets/sheet1", "worksheet"),
            ("sharedStrings", "sharedStrings"),
        )
    )
    schema = f"{_OFFICE}/officeDocument/2006/relationships"
    main = f"{_OFFICE}/spreadsheetml/2006/main"
    related = f'{_XML}<Relationships xmlns="{_OFFICE}/package/2006/relationships">'
    return packed({
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_OFFICE}/package/2006/content-types">{kinds}</Types>',
        "_rels/.rels": f'{related}<Relationship Id="rId1" Type="{schema}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'{_XML}<workbook xmlns="{main}" xmlns:r="{schema}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{related}<Relationship Id="rId1" Type="{schema}/worksheet" '
        f'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{schema}/sharedStrings" '
        'Target="sharedStrings.xml"/></Relationships>',
        "xl/sharedStrings.xml": f'{_XML}<sst xmlns="{main}">{strings}</sst>',
        "xl/worksheets/sheet1.xml": f'{_XML}<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    })  # fmt: skip


def far_apart(last: str) -> bytes:
    """Return a workbook with the cells A1 and ``last`` and nothing between them."""
    row = "".join(letter for letter in last if letter.isdigit())
    return workbook(f'<row r="1"><c r="A1"><v>1</v></c></row><row r="{row}"><c r="{last}"><v>1</v></c></row>')


def one_string(cells: int, letters: int) -> bytes:
    """Return a workbook in which so many cells name one shared string of so many letters."""
    rows = "".join(f'<row r="{at}"><c r="A{at}" t="s"><v>0</v></c></row>' for at in range(1, cells + 1))
    return workbook(rows, f"<si><t>{'x' * letters}</t></si>")


def deep_xml(depth: int) -> bytes:
    return workbook("<a>" * depth + "</a>" * depth)


def open_document(rows: str) -> bytes:
    """Return an .ods of one sheet with these rows of XML."""
    return packed({
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "META-INF/manifest.xml": f'{_XML}<manifest:manifest xmlns:manifest="{_ODF}:manifest:1.0"/>',
        "content.xml": f'{_XML}<office:document-content xmlns:office="{_ODF}:office:1.0" '
        f'xmlns:table="{_ODF}:table:1.0" xmlns:text="{_ODF}:text:1.0">'
        f'<office:body><office:spreadsheet><table:table table:name="S">{rows}'
        "</table:table></office:spreadsheet></office:body></office:document-content>",
    })  # fmt: skip


def repeated(rows: int, columns: int) -> bytes:
    """Return an .ods of one cell that is repeated."""
    return open_document(
        f'<table:table-row table:number-rows-repeated="{rows}"><table:table-cell '
        f'table:number-columns-repeated="{columns}" office:value-type="string"><text:p>x</text:p></table:table-cell>'
        "</table:table-row>"
    )


def players(count: int) -> bytes:
    """Return an .xlsx with a list of so many players."""
    written = io.BytesIO()
    with xlsxwriter.Workbook(written) as book:
        sheet = book.add_worksheet("名簿")
        rows = [("氏名", "ふりがな", "段級"), *[(f"山田 {at}郎", "やまだ", "3級") for at in range(count)]]
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    return written.getvalue()


def many_scans(scans: int, side: int = 4096) -> bytes:
    """Return a progressive JPEG whose last scan is repeated until there are so many."""
    _, encoded = cv2.imencode(".jpg", np.zeros((side, side, 3), np.uint8), [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])
    data = encoded.tobytes()
    last = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + last * (scans - data.count(b"\xff\xda")) + b"\xff\xd9"
