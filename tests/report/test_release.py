from twoworlds.release import Curator, Query, column
from twoworlds.release.examples import lay_out
from twoworlds.report.release import release_page


def test_the_page_has_the_answer_what_it_means_and_the_proof_and_runs_nothing(tmp_path):
    lay_out(tmp_path)
    hostile = "<script>alert(1)</script>"
    asked = Query("people").where(column("region") == hostile).count(name=hostile)
    with Curator.open(tmp_path / "policy.yml") as curator:
        released = curator.release_all([asked], "1", analyst="ann")
    page = release_page(released)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    for part in (
        "odds",
        "add-remove",
        "discrete Laplace",
        "Asked by ann",
        released.charge.hash,
    ):
        assert part in page
