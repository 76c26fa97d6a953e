from hockney.cli import main

main()
