"""Real local clusters: the numbers of the command line, also where a worker is killed in the middle of its work."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import needs, outputs

import tiebreak as tb

METRICS = ["chrf", "bleu", "cider-d"]
COPIES = 20


def many() -> list[dict[str, Any]]:
    """The tiny data set, some times over."""
    return [{**row, "item": f"{row['item']}-{copy:02}"} for copy in range(COPIES) for row in outputs()]


def expected(folder: Path) -> bytes:
    return as_bytes(tb.load(many(), quiet=True).score(METRICS).to_pyarrow(), folder / "expected.parquet")


def as_bytes(table: Any, path: Path) -> bytes:
    """A table's rows in one order, as a file."""
    import pyarrow
    import pyarrow.parquet

    order = [(name, "ascending") for name in ("item", "system", "metric")]
    columns = {name: table[name] for name in ("item", "system", "metric", "score")}
    plain = pyarrow.table(
        {name: values.cast(pyarrow.float64() if name == "score" else pyarrow.string()) for name, values in columns.items()}
    )
    pyarrow.parquet.write_table(plain.sort_by(order).combine_chunks(), path)
    return path.read_bytes()


def counts(tables: list[Any]) -> tb.Table:
    return tb.arrow.merge([tb.arrow.count(METRICS)(table) for table in tables])


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """Files of ten items each."""
    pyarrow = needs("pyarrow")
    parquet = needs("pyarrow.parquet")
    table, files = pyarrow.Table.from_pylist(many()), []
    rows = 10 * len(tb.load(outputs()).systems)
    (tmp_path / "parts").mkdir()
    for start in range(0, table.num_rows, rows):
        files.append(tmp_path / "parts" / f"{start:06}.parquet")
        parquet.write_table(table.slice(start, rows), files[-1])
    return files


def scored_slowly(part: Any, kernel: tb.arrow.Score, mark: str) -> Any:
    """So slowly that somebody can be killed meanwhile; `mark` is the folder of notes."""
    Path(mark, f"{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(0.05)
    return kernel(part)


def test_dask_with_a_worker_killed(parts: list[Path], tmp_path: Path) -> None:
    distributed, frames, pandas = needs("distributed"), needs("dask.dataframe"), needs("pandas")
    pyarrow = needs("pyarrow")
    marks = tmp_path / "marks"
    marks.mkdir()
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, worker_dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        data = frames.from_map(pandas.read_parquet, [str(path) for path in parts], dtype_backend="pyarrow")
        counted = data.map_partitions(tb.arrow.count(METRICS), meta=meta("metric", "term", documents="uint64"))
        whole = tb.arrow.merge([pyarrow.Table.from_pandas(counted.compute(), preserve_index=False)])
        kernel = tb.arrow.score(METRICS, counts=whole)
        scores = data.map_partitions(
            scored_slowly, kernel, str(marks), meta=meta("item", "system", "metric", score="float64")
        )
        running = client.compute(scores)
        deadline = time.monotonic() + 60
        while len(list(marks.iterdir())) < 5:
            assert time.monotonic() < deadline, "no worker began"
            time.sleep(0.02)
        killed = int(next(iter(marks.iterdir())).name.split("-")[0])
        os.kill(killed, signal.SIGKILL)
        found = running.result(timeout=120)
    workers = {path.name.split("-")[0] for path in marks.iterdir()}
    assert len(workers) > 2 or len(list(marks.iterdir())) >= len(parts), "somebody did the work of the killed one"
    table = pyarrow.Table.from_pandas(found, preserve_index=False)
    assert as_bytes(table, tmp_path / "found.parquet") == expected(tmp_path)


def meta(*texts: str, **numbers: str) -> Any:
    """The columns that come out, as Dask wants to know them."""
    import pandas

    columns = {name: pandas.Series(dtype="str") for name in texts}
    return pandas.DataFrame({**columns, **{name: pandas.Series(dtype=kind) for name, kind in numbers.items()}})


def test_sail(parts: list[Path], tmp_path: Path) -> None:
    server = needs("pysail.spark").SparkConnectServer("127.0.0.1", 0)
    sql, parquet, pyarrow = needs("pyspark.sql"), needs("pyarrow.parquet"), needs("pyarrow")
    server.start(background=True)
    try:
        _, port = server.listening_address
        spark = sql.SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
        data = spark.read.parquet(str(tmp_path / "parts"))
        counted = data.mapInArrow(tb.arrow.count(METRICS), tb.arrow.COUNTS).toArrow()
        kernel = tb.arrow.score(METRICS, counts=counted)
        data.mapInArrow(kernel, tb.arrow.SCORES).write.parquet(str(tmp_path / "scores"))
        spark.stop()
    finally:
        server.stop()
    found = pyarrow.concat_tables([parquet.read_table(path) for path in (tmp_path / "scores").glob("*.parquet")])
    assert as_bytes(found, tmp_path / "found.parquet") == expected(tmp_path)


def test_spark_with_a_worker_killed(parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        print("\nSKIPPED: Java is not there")
        pytest.skip("Java is not there")
    sql, parquet, pyarrow = needs("pyspark.sql"), needs("pyarrow.parquet"), needs("pyarrow")
    needs("pyspark.core")  # not only the client of Spark Connect
    marks, once = tmp_path / "marks", tmp_path / "killed"
    marks.mkdir()
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    # Two threads; a task may fail three times.
    spark = sql.SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", False).getOrCreate()
    try:
        # A task has few batches then, so that some are done when its worker dies.
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 70)
        data = spark.read.parquet(*(str(path) for path in parts))
        kernel = tb.arrow.score(METRICS, counts=counts([pyarrow.Table.from_pylist(many())]))

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            for scores in kernel(batches):
                if len(list(marks.iterdir())) >= 4 and not once.exists():
                    once.touch()
                    os.kill(os.getpid(), signal.SIGKILL)
                Path(marks, str(time.monotonic_ns())).touch()
                yield scores

        data.mapInArrow(work, tb.arrow.SCORES).write.parquet(str(tmp_path / "scores"))
    finally:
        spark.stop()
    assert once.exists(), "nobody was killed"
    found = pyarrow.concat_tables([parquet.read_table(path) for path in (tmp_path / "scores").glob("*.parquet")])
    assert as_bytes(found, tmp_path / "found.parquet") == expected(tmp_path)


def test_ray_with_a_worker_killed(parts: list[Path], tmp_path: Path) -> None:
    ray, pyarrow = needs("ray"), needs("pyarrow")
    data_of = needs("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    marks = tmp_path / "marks"
    marks.mkdir()
    try:
        data = data_of.read_parquet([str(path) for path in parts])
        kernel = tb.arrow.score(METRICS, counts=counts([pyarrow.Table.from_pylist(many())]))
        once = str(tmp_path / "killed")

        def work(batch: Any) -> Any:
            if len(list(marks.iterdir())) == 4 and not Path(once).exists():
                Path(once).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            Path(marks, str(time.monotonic_ns())).touch()
            return kernel(batch)

        found = data.map_batches(work, batch_format="pyarrow", batch_size=70)
        refs = found.to_arrow_refs()
        table = pyarrow.concat_tables(ray.get(refs))
    finally:
        ray.shutdown()
    assert Path(once).exists(), "nobody was killed"
    assert as_bytes(table, tmp_path / "found.parquet") == expected(tmp_path)
