"""``dac-alns train``."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from dacalns.cli.console import announce_compilation, err, out
from dacalns.cli.options import AddressOption, EngineName, EngineOption, chosen_engine
from dacalns.cli.watch import watch


def train(
    problem: Annotated[str, typer.Option(help="cvrp or vrptw.", metavar="cvrp|vrptw")],
    steps: Annotated[int, typer.Option(help="Iterations of search over all episodes.")],
    out_file: Annotated[Path, typer.Option("--out", help="The policy to write.", metavar="POLICY.safetensors")],
    instances: Annotated[
        str,
        typer.Option(
            help="generated, generated:20-59 (that many customers), generated:60-150:long (long or short routes, "
            "or horizons), a set, or files with commas between.",
            metavar="generated[:20-59[:long|short]]|SET|FILES",
        ),
    ] = "generated",
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the training stopped.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the files of an earlier training.")] = False,
    kind: Annotated[
        str | None, typer.Option(help="dac, ac or wheel.", metavar="dac|ac|wheel", show_default="dac")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="online: as in the paper; whole: from whole searches; surface: a wheel from all searches so far.",
            metavar="online|whole|surface",
            show_default="online; whole for a wheel",
        ),
    ] = None,
    start_from: Annotated[
        str | None,
        typer.Option(
            help="Begin with a policy of the same kind, a wheel, or wheels with commas between.", metavar="POLICIES"
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="What rewards, network and learning are set to: paper, one-step, improved or context, or fields, "
            "such as improved,rate=0.0005.",
            show_default="paper",
        ),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="A TOML file with other settings of these.", metavar="FILE.toml")
    ] = None,
    portfolio: Annotated[
        str | None,
        typer.Option(
            help="paper[:ratio,anywhere,scales], full, or FILE.py[:NAME] with your own operators.",
            show_default="paper",
        ),
    ] = None,
    episodes: Annotated[int, typer.Option(help="Searches in a round.")] = 16,
    patience: Annotated[
        float, typer.Option(help="Online: end an episode after this part of its iterations without a new best.")
    ] = 0.02,
    rate: Annotated[float | None, typer.Option(help="The learning rate.", show_default="0.001")] = None,
    deviation: Annotated[float, typer.Option(help="Whole and surface: of what is added to the outputs.")] = 1.0,
    halving: Annotated[int, typer.Option(help="Whole: rounds after which the rate is half; 0: never.")] = 50,
    temperature: Annotated[float, typer.Option(help="What the actors' outputs are divided by when saved.")] = 1.0,
    margin: Annotated[
        float,
        typer.Option(help="Whole: the relative difference in cost that is a full win; surface: the most that counts."),
    ] = 0.005,
    hold: Annotated[int, typer.Option(help="Whole: for how many iterations a decision is used.")] = 10,
    seconds: Annotated[
        float | None, typer.Option(help="Whole and surface: seconds a search.", show_default="the paper's iterations")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all that is random.", show_default="0")] = None,
    jobs: Annotated[int | None, typer.Option(help="Processes.", show_default="one for each core")] = None,
    engine: EngineOption = EngineName.LOCAL,
    ray_address: AddressOption = None,
    validate_every: Annotated[
        int | None,
        typer.Option(help="Rounds between validations; 0: only at the end.", show_default="100 online, else 25"),
    ] = None,
    validation_instances: Annotated[int, typer.Option(help="How many to validate on; 0: never.")] = 64,
    stop_after: Annotated[int | None, typer.Option(help="End after so many validations without a better one.")] = None,
    log: Annotated[Path | None, typer.Option(help="Write files for TensorBoard here.", metavar="DIR")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Train a policy. POLICY.state, to resume from, and POLICY.csv, a row for each round, are written beside it.

    Exit code 0: done; 130: interrupted after a round, to be resumed; 2: bad input.
    """
    from dacalns.learning import train as train_policy
    from dacalns.learning.live import LiveTraining, TrainingLines

    cluster = chosen_engine(engine, ray_address, jobs) if engine is EngineName.RAY or ray_address else None
    display: Any = nullcontext()
    if not quiet:
        title = f"dac-alns train  {problem}  {instances}"
        display = LiveTraining(err, title) if err.is_terminal else TrainingLines(err)
    watch.sentence = "Interrupted; to go on after the last whole round, if there was one, add --resume to the command."
    with display as on_progress:
        summary = train_policy(
            problem, instances, steps=steps, out=out_file, resume=resume, force=force, kind=kind, method=method,
            start_from=start_from, preset=preset, settings=settings, portfolio=portfolio, episodes=episodes,
            patience=patience, rate=rate, deviation=deviation, halving=halving, margin=margin, hold=hold,
            temperature=temperature, seconds=seconds, seed=seed, jobs=jobs, engine=cluster,
            validate_every=validate_every, validation_instances=validation_instances, stop_after=stop_after,
            log=log, on_progress=on_progress, on_compile=None if quiet else announce_compilation,
        )  # fmt: skip
    if not quiet:
        out.print(str(summary), soft_wrap=True)
    if not summary.finished:
        err.print("Interrupted; to go on, give the same command with --resume.", style="red")
        raise typer.Exit(130)
