"""The command: it is ready for any signal before it loads the command line, which takes longest."""

from hockney import endings

endings.install()

from hockney.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
