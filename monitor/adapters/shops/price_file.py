"""A shop that imports its prices from a CSV file: `sku,price,currency` and whatever other columns it has.

The file belongs to the operator. Only the price of the one row is changed, its `compare_at` when the decision sets or
clears it, and its `updated_at` when there is such a column; every other byte stays: columns, order, line endings, a
byte order mark. A file that cannot be understood is not touched, and the line is named.

Replaced whole and atomically (temporary file, fsync, rename, fsync of the directory), so that a reader sees the old
or the new file, also after a power cut. Programs that use this class exclude each other with a lock on
`<file>.lock`; under it the price is compared before it is set. Not promised: anything about a program that rewrites
the file without that lock.
"""

import csv
import fcntl
import io
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from monitor.adapters.shops.one_by_one import OneByOne
from monitor.domain.action import PriceWrite
from monitor.domain.money import Money, UnreadableAmount, amount_text, is_currency, plain_amount
from monitor.domain.shop_price import CompareAtAction, ShopPrice
from monitor.domain.submit import Verdict, classify
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater
from monitor.ports.shop import ProductGone, ShopConflict
from monitor.ports.world import Clock

_NEEDED = ("sku", "price", "currency")
_TOUCHED = "updated_at"
_BESIDE = "compare_at"
_BOM = "\ufeff"


class PriceFile(OneByOne):
    """`monitor.ports.review.Shop` on one CSV file."""

    reads = True

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path, self._clock = path, clock

    def create(self, prices: Iterable[tuple[str, Money]]) -> bool:
        """Write a new file with these prices unless there is one; say whether it was written.

        One that was made here without a single row counts as none: no product of it could ever be written.
        """
        with self._locked():
            out = io.StringIO()
            rows = csv.writer(out, lineterminator="\n")
            rows.writerow((*_NEEDED, _TOUCHED))
            if self._path.exists() and self._path.read_bytes() != out.getvalue().encode():
                return False
            now = self._now()
            rows.writerows((sku, amount_text(m.amount, m.currency), m.currency, now) for sku, m in prices)
            self._replace(out.getvalue())
            return True

    def prices(self) -> dict[str, ShopPrice]:
        """Return every price in the file by SKU. Raises CannotSucceed when a row is broken or stands twice."""
        table = self._table()
        return {sku: table.price(record) for sku in table.skus() if (record := table.find(sku)) is not None}

    def read(self, sku: str) -> ShopPrice | None:
        """Return the price in the row of this SKU; None when no row has it."""
        table = self._table()
        record = table.find(sku)
        return None if record is None else table.price(record)

    def objection(self, write: PriceWrite, current: ShopPrice) -> str | None:
        """Object to a compare-at price that the file has no column for."""
        if write.compare_at_action is CompareAtAction.KEEP or current.tells_compare_at:
            return None
        return f"{self._path} has no column {_BESIDE}, so the compare-at price cannot be changed; add the column"

    def write(self, write: PriceWrite) -> str:
        """Set the price of the row, under the lock, when it still is the expected one."""
        with self._locked():
            table = self._table()
            record = table.find(write.sku)
            if record is None:
                raise ProductGone(
                    f"{self._path} has no row for {write.sku}; nothing was changed. Add the row if it is sold"
                )
            old = table.price(record)
            verdict = classify(write, old)
            if verdict is Verdict.NOOP:
                return f"{self._path.name} had {old} already"
            if verdict is not Verdict.GO:
                raise ShopConflict(f"{self._path}, line {record.line}: {write.sku} has {old}; nothing was changed")
            if refused := self.objection(write, old):
                raise CannotSucceed(refused)
            self._replace(table.with_price(record, write, self._now()))
        return f"{self._path.name}, line {record.line}: {old} to {Money(write.target_price, write.currency)}"

    def _now(self) -> str:
        return self._clock.now().isoformat(timespec="seconds")

    def _table(self) -> "_PriceTable":
        try:
            text = self._path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            raise CannotSucceed(
                f"the price file {self._path} is not there; create it with the columns {', '.join(_NEEDED)}, "
                "or correct shop.path in monitor.toml"
            ) from None
        except UnicodeDecodeError as wrong:
            raise CannotSucceed(
                f"{self._path}: byte {wrong.start} is not UTF-8; save the file as UTF-8. It was left as it is"
            ) from None
        except OSError as failed:
            raise RetryLater(f"{self._path} cannot be read: {failed.strerror}") from failed
        return _PriceTable.of(str(self._path), text)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        beside = self._path.with_name(f"{self._path.name}.lock")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as failed:
            raise RetryLater(f"{beside} cannot be opened, so {self._path} was left: {failed.strerror}") from failed
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _replace(self, text: str) -> None:
        target = self._path.resolve()  # through a symbolic link, which stays
        try:
            beside = _written_beside(target, text)
            beside.replace(target)
        except OSError as failed:
            raise RetryLater(f"{target} cannot be replaced and was left as it is: {failed.strerror}") from failed
        try:
            _sync_directory(target.parent)
        except OSError as failed:
            raise OutcomeUnknown(f"{target} was replaced, but may be the old one after a power cut: {failed}") from None


def _written_beside(target: Path, text: str) -> Path:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as out:
            out.write(text)
            out.flush()
            _keep_owner_and_mode(target, out.fileno())
            os.fsync(out.fileno())
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside


def _keep_owner_and_mode(target: Path, descriptor: int) -> None:
    if not target.exists():
        os.fchmod(descriptor, 0o644)
        return
    known = target.stat()
    with suppress(PermissionError):  # only root may give a file away
        os.fchown(descriptor, known.st_uid, known.st_gid)
    os.fchmod(descriptor, known.st_mode & 0o7777)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class _Record:
    line: int  #: where it begins; 1 is the header
    cells: tuple[str, ...]
    raw: str  #: exactly as in the file, with its line ending


@dataclass(frozen=True, slots=True)
class _PriceTable:
    """The file as records that remember their bytes."""

    name: str
    records: tuple[_Record, ...]
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[_Record, ...]]  #: by SKU, in file order; several for one is an error where it is asked for

    @classmethod
    def of(cls, name: str, text: str) -> "_PriceTable":
        """Read the text of a file.

        Raises:
            CannotSucceed: with the line and what is wrong in it.
        """
        records = tuple(_records(name, text))
        if not records:
            raise CannotSucceed(f"{name} is empty; its first line must name the columns {', '.join(_NEEDED)}")
        columns = tuple(cell.removeprefix(_BOM).strip().lower() for cell in records[0].cells)
        for column in _NEEDED:
            if columns.count(column) != 1:
                raise CannotSucceed(
                    f"{name}, line 1: needs the column {column!r} once, separated by commas; it has "
                    f"{', '.join(columns)}. The file was left as it is"
                )
        return cls(name, records, columns, _by_sku(records[1:], columns.index("sku")))

    def skus(self) -> tuple[str, ...]:
        """Return the SKUs in file order, each once."""
        return tuple(filter(None, self.rows))

    def find(self, sku: str) -> _Record | None:
        """Return the one row of a SKU. Raises CannotSucceed when there are two, or the row is broken."""
        found = self.rows.get(sku, ())
        if len(found) > 1:
            lines = ", ".join(str(record.line) for record in found)
            raise CannotSucceed(f"{self.name}: {sku} is on lines {lines}; keep one. The file was left as it is")
        if found and len(found[0].cells) != len(self.columns):
            raise CannotSucceed(
                f"{self.name}, line {found[0].line}: {len(found[0].cells)} cells where the header names "
                f"{len(self.columns)} columns; put a cell that holds a comma between double quotes"
            )
        return found[0] if found else None

    def price(self, record: _Record) -> ShopPrice:
        """Return the price of a row. Raises CannotSucceed when it cannot be read exactly."""
        currency = self._cell(record, "currency").strip().upper()
        amount = self._amount(record, "price")
        if not is_currency(currency):
            raise CannotSucceed(
                f"{self.name}, line {record.line}, column currency: {currency!r} is no code such as EUR. "
                "The file was left as it is"
            )
        tells = _BESIDE in self.columns
        beside = self._amount(record, _BESIDE) if tells and self._cell(record, _BESIDE).strip() else None
        return ShopPrice(Money(amount, currency), beside, tells)

    def _amount(self, record: _Record, column: str) -> Decimal:
        try:
            return plain_amount(self._cell(record, column))
        except UnreadableAmount as wrong:
            raise CannotSucceed(f"{self.name}, line {record.line}, column {column}: {wrong}") from None

    def with_price(self, record: _Record, write: PriceWrite, now: str) -> str:
        """Return the whole text with one row changed."""
        changed = list(record.cells)
        changed[self.columns.index("price")] = amount_text(write.target_price, write.currency)
        if write.compare_at_action is not CompareAtAction.KEEP:
            beside = write.compare_at
            changed[self.columns.index(_BESIDE)] = "" if beside is None else amount_text(beside, write.currency)
        if _TOUCHED in self.columns:
            changed[self.columns.index(_TOUCHED)] = now
        # csv of Python 3.11 leaves a lone carriage return unquoted, which would break the row.
        has_return = any("\r" in cell for cell in changed)
        out = io.StringIO()
        csv.writer(
            out, lineterminator=_ending(record.raw), quoting=csv.QUOTE_ALL if has_return else csv.QUOTE_MINIMAL
        ).writerow(changed)
        return "".join(out.getvalue() if each is record else each.raw for each in self.records)

    def _cell(self, record: _Record, column: str) -> str:
        return record.cells[self.columns.index(column)]


def _by_sku(records: Iterable[_Record], at: int) -> dict[str, tuple[_Record, ...]]:
    found: dict[str, list[_Record]] = defaultdict(list)
    for record in records:
        if len(record.cells) > at:
            found[record.cells[at].strip()].append(record)
    return {sku: tuple(rows) for sku, rows in found.items()}


def _records(name: str, text: str) -> Iterator[_Record]:
    lines = list(io.StringIO(text, newline=""))
    reader = csv.reader(iter(lines), strict=True)
    start = 0
    try:
        for cells in reader:
            yield _Record(start + 1, tuple(cells), "".join(lines[start : reader.line_num]))
            start = reader.line_num
    except csv.Error as wrong:
        raise CannotSucceed(
            f"{name}, line {start + 1}: the quotes of this record are not right ({wrong}). The file was left as it is"
        ) from None


def _ending(raw: str) -> str:
    return raw[len(raw.rstrip("\r\n")) :]
