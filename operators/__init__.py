"""What the user does: buttons, menus and the dialogues behind them."""
