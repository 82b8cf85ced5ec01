"""What an arbiter does at the table (docs/table.md): he opens his screen with a PIN, sees, rules, and lets go on."""
