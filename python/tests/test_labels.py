"""Tables with labels: one on its side, or with columns in another order, is another motion: it must not be answered."""

from collections import namedtuple

import numpy as np
import pytest

J = [f"joint_{k}" for k in range(1, 7)]
BACK = J[::-1]
# As it is, it collides; on its side, and with its columns in another order, it is clear.
MOTION = np.array(
    [
        [0.895, -0.159, -0.140, -0.398, -0.139, 0.568],
        [0.477, -0.320, 0.027, 0.089, 0.431, 0.138],
        [0.321, 0.676, 0.511, 0.011, 0.128, 0.015],
        [-0.346, -0.215, -0.103, -0.060, -0.073, 0.307],
        [0.860, 0.585, 0.608, 0.563, 0.336, 0.785],
        [0.465, 0.200, -0.368, 0.184, -0.202, -0.314],
    ]
)


def columns(names=J):
    return {name: MOTION[:, J.index(name)] for name in names}


def pandas_tables():
    pd = pytest.importorskip("pandas")
    right = pd.DataFrame(MOTION, columns=J)
    yield "as it is", right, None
    yield "numbered", pd.DataFrame(MOTION), None
    yield "numbered, from 3 on", pd.DataFrame(MOTION, columns=range(3, 9)), None
    numbered = pd.DataFrame(MOTION)[[5, 4, 3, 2, 1, 0]]
    yield "numbered, another order", numbered, "have the columns 5, 4, 3"
    yield "rows, numbered, another order", [numbered.iloc[k] for k in range(6)], "have the columns 5, 4, 3"
    yield "numbered, one twice", pd.DataFrame(MOTION, columns=[0, 1, 2, 2, 3, 4]), "not in their order"
    yield "rows and columns named", pd.DataFrame(MOTION, columns=J, index=J), None
    yield "rows", [right.iloc[k] for k in range(6)], None
    yield "tuples", list(right.itertuples(index=False)), None
    yield "waypoints named, columns too", pd.DataFrame(MOTION, columns=J, index=list("abcdef")), None
    yield "on its side", right.T, "`joint_1` is the label of a row"
    yield "robot/joint", pd.DataFrame(MOTION, index=[f"arm/{j}" for j in J]), "label of a row"
    yield "levels", pd.DataFrame(MOTION, index=pd.MultiIndex.from_product([["arm"], J])), "label of a row"
    yield "bytes", pd.DataFrame(MOTION, index=[j.encode() for j in J]), "label of a row"
    yield "who knows", pd.DataFrame(MOTION, index=list("abcdef")), "as many as joints"
    yield "times above", pd.DataFrame(MOTION, columns=np.linspace(0, 1, 6)), "have the columns 0.0, 0.2"
    yield "steps above", pd.DataFrame(MOTION, columns=pd.to_timedelta(range(6), unit="s")), "have the columns 0 days"
    yield "another order", right[BACK], "have the columns joint_6, joint_5"
    yield "tuples, another order", list(right[BACK].itertuples(index=False)), "have the columns joint_6"
    yield "columns as rows", [right[j] for j in J], "`joint_1` is the name of a row"
    yield "rows of one on its side", [right.T.iloc[k] for k in range(6)], "is the name of a row"


def polars_tables():
    pl = pytest.importorskip("polars")
    right = pl.DataFrame(columns())
    yield "as it is", right, None
    yield "rows", right.rows(), None
    yield "another order", right[BACK], "have the columns joint_6"
    yield "on its side", right.transpose(), "have the columns column_0"
    yield "columns as rows", right.get_columns(), "`joint_1` is the name of a row"


def pyarrow_tables():
    pa = pytest.importorskip("pyarrow")
    yield "as it is", pa.table(columns()), None
    yield "another order", pa.table(columns(BACK)), "have the columns joint_6"
    yield "batch", pa.table(columns(BACK)).to_batches()[0], "have the columns joint_6"
    yield "columns as rows", pa.table(columns()).columns, "a column of a table"


def xarray_tables():
    xr = pytest.importorskip("xarray")
    right = xr.DataArray(MOTION, dims=("time", "joint"), coords={"joint": J})
    yield "as it is", right, None
    yield "rows", list(right), None
    yield "no coordinates", xr.DataArray(MOTION, dims=("time", "joint")), None
    yield "on its side", right.T, "columns are called `time`"
    yield "no coordinates, on its side", xr.DataArray(MOTION, dims=("joint", "n")), "rows are called `joint`"
    yield "another order", right[:, ::-1], "have the columns joint_6"
    yield "rows in another order", list(right[:, ::-1]), "have the columns joint_6"
    other = xr.DataArray(MOTION, dims=("a", "b"), coords={"name": ("a", J)})
    yield "another name", other, "`joint_1` is the label of a row"
    yield "columns as rows", [right.sel(joint=j) for j in J], "called `time`"
    unnamed = xr.DataArray(MOTION, dims=("n", "joint"), coords={"joint": J})
    yield "chosen joints as rows", [unnamed.sel(joint=j) for j in J], "`joint_1` is the name of a row"


def plain_tables():
    """Without any package: the attributes that these have."""
    Table = type("Table", (np.ndarray,), {"index": J, "columns": range(6)})
    yield "on its side", MOTION.view(Table), "`joint_1` is the label of a row"
    Named = type("Named", (np.ndarray,), {"name": "joint_1"})
    yield "columns as rows", [row.view(Named) for row in MOTION], "`joint_1` is the name of a row"
    Side = type("Side", (np.ndarray,), {"dims": ("joint", "n"), "coords": {}})
    yield "dimensions", MOTION.view(Side), "rows are called `joint`"
    Arrow = type("Arrow", (np.ndarray,), {"column_names": BACK, "columns": range(6)})
    yield "column names", MOTION.view(Arrow), "have the columns joint_6"
    Row = namedtuple("Row", BACK)
    yield "named tuples", [Row(*row) for row in MOTION], "have the columns joint_6"
    yield "records", np.rec.fromarrays(MOTION.T, names=J), "of the type"
    yield "dict", columns(), "of the type dict"


@pytest.mark.parametrize("tables", [plain_tables, pandas_tables, polars_tables, pyarrow_tables, xarray_tables])
def test_tables_say_which_axis_is_which(cell, tables):
    assert cell.check(None, MOTION).verdict == "collision"
    assert cell.check(None, MOTION.T).verdict == "clear"
    for name, table, refusal in tables():
        try:
            assert cell.check(None, table).verdict == "collision" and refusal is None, name
            assert len(cell.distance(table)) == 6, name
        except ValueError as error:
            assert refusal and refusal in str(error), (name, str(error))
            with pytest.raises(ValueError):
                cell.distance(table)
            with pytest.raises(ValueError):
                cell.check(range(6), MOTION, velocities=table)


def test_a_column_is_no_configuration(cell):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(MOTION, columns=J)
    assert cell.distance(table.iloc[0]) == cell.distance(MOTION[0])
    with pytest.raises(ValueError, match="`joint_1` is the name of a row"):
        cell.distance(table["joint_1"])
    with pytest.raises(ValueError, match="have the columns joint_6"):
        cell.distance(next(table[BACK].itertuples(index=False)))


def test_rows_of_all_tables_are_in_one_order(cell):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(MOTION, columns=J)
    times = pd.Series([0.5, 0.1, 0.3, 0.2, 0.4, 0.0])
    with pytest.raises(ValueError, match="the rows of times have the labels 5, 1, 3, 2, 4, 0, those of positions 0, 1"):
        cell.check(times.sort_values(), table)
    order = times.sort_values().index
    assert cell.check(times[order], table.loc[order]).verdict == "collision"
    with pytest.raises(ValueError, match="the rows of positions .* those of velocities"):
        cell.check(range(6), table, velocities=table[::-1])
    # Labels that are others are no statement about the order.
    assert cell.check(pd.Series(range(6), index=range(10, 16)), table).verdict == "collision"
