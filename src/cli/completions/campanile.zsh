#compdef campanile
# Completions of campanile for zsh: source <(campanile completion zsh)
_campanile() {
  local path="" next files="" i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    next="${path:+$path }${words[i]}"
    case "$next" in
      "users"|"keys"|"secrets"|"accounts"|"backup"|"serve"|"doctor"|"upgrade"|"users list"|"users create"|"users invite"|"users disable"|"users enable"|"users reset-password"|"users reset-factor"|"users make-admin"|"users hand-over"|"users delete"|"keys list"|"keys revoke"|"secrets rotate"|"secrets give-up"|"accounts list"|"accounts release"|"backup verify"|"restore"|"release"|"mcp"|"completion"|"help") path="$next" ;;
    esac
  done
  case "${words[CURRENT-1]}" in
    --passphrase-file|--key-file) _files; return ;;
    --send|--unknown|--port|--host|--url|--allow-origin) return ;;
  esac
  case "$path" in
    "") offered=('serve:Run the service. This is the default.' 'doctor:Check the installation and suggest a remedy for each problem. Exits with 1 if a check fails.' 'upgrade:Report what the next start changes in the database. Exits with 0: no changes, 3: pending migrations, 1: the start would fail.' 'users:Commands for users.' 'keys:Commands for keys.' 'secrets:Commands for secrets.' 'accounts:Commands for accounts.' 'backup:Commands for backup.' 'restore:Restore a backup into an empty DATA_DIR. The ledger stays held until you run "campanile release".' 'release:Show the queue of a held ledger. With a choice for each campaign, resume sending.' 'mcp:Serve MCP tools for language models.' 'completion:Print the completions for bash or zsh.' 'help:Show the usage of all commands, or of one.' '--help:Show the usage.' '--version:Show the version.') ;;
    "users") offered=('list:List up to 1,000 users, newest first.' 'create:Create a user, and show the password once.' 'invite:Invite a person; without mail, print the link.' 'disable:Sign a user out everywhere, and stop sending for the workspaces that the user owns.' 'enable:Let a disabled user sign in again, and the posts of the workspaces leave.' 'reset-password:Set a new password and show it once; revoke all sessions and API keys.' 'reset-factor:Remove the second factors of a user.' 'make-admin:Make a user an administrator.' 'hand-over:Make a member the owner of the user'\''s workspaces that both belong to.' 'delete:Delete a user and everything in the workspace, permanently.' '--help:Show the usage.') ;;
    "keys") offered=('list:List the API keys of a user.' 'revoke:Revoke an API key of a user.' '--help:Show the usage.') ;;
    "secrets") offered=('rotate:Create a new token secret without ending sessions.' 'give-up:Show the data that a lost encryption key has sealed.' '--help:Show the usage.') ;;
    "accounts") offered=('list:List up to 1,000 linked accounts, those that need attention first.' 'release:Resume the stopped accounts of a user.' '--help:Show the usage.') ;;
    "backup") offered=('verify:Authenticate a backup, restore it temporarily and count its rows.' '--passphrase-file:The file with the passphrase that authenticates the backup.' '--help:Show the usage.'); files=yes ;;
    "serve") offered=('--help:Show the usage.') ;;
    "doctor") offered=('--json:Print JSON.' '--help:Show the usage.') ;;
    "upgrade") offered=('--check:Report only. The service upgrades the database when it starts.' '--json:Print JSON.' '--help:Show the usage.') ;;
    "users list") offered=('--json:Print JSON.' '--help:Show the usage.') ;;
    "users create") offered=('--help:Show the usage.') ;;
    "users invite") offered=('--help:Show the usage.') ;;
    "users disable") offered=('--yes:Disable the user even if it is the last administrator.' '--help:Show the usage.') ;;
    "users enable") offered=('--help:Show the usage.') ;;
    "users reset-password") offered=('--help:Show the usage.') ;;
    "users reset-factor") offered=('--help:Show the usage.') ;;
    "users make-admin") offered=('--help:Show the usage.') ;;
    "users hand-over") offered=('--help:Show the usage.') ;;
    "users delete") offered=('--yes:Confirm the deletion.' '--with-shared-workspaces:Also delete workspaces of the user that have other members.' '--help:Show the usage.') ;;
    "keys list") offered=('--json:Print JSON.' '--help:Show the usage.') ;;
    "keys revoke") offered=('--help:Show the usage.') ;;
    "secrets rotate") offered=('--help:Show the usage.') ;;
    "secrets give-up") offered=('--yes:Delete the data that no configured encryption key opens.' '--help:Show the usage.') ;;
    "accounts list") offered=('--json:Print JSON.' '--help:Show the usage.') ;;
    "accounts release") offered=('--help:Show the usage.') ;;
    "backup verify") offered=('--passphrase-file:The file with the passphrase that authenticates the backup.' '--unauthenticated:Accept a backup that cannot be authenticated.' '--help:Show the usage.'); files=yes ;;
    "restore") offered=('--passphrase-file:The file with the passphrase that authenticates the backup.' '--unauthenticated:Accept a backup that cannot be authenticated.' '--help:Show the usage.'); files=yes ;;
    "release") offered=('--send:Send the queued posts of this campaign.' '--unknown:Do not send them: their outcome is unknown.' '--json:Print the queue as JSON.' '--help:Show the usage.') ;;
    "mcp") offered=('--key-file:Serve over stdio, with the API key in this file.' '--port:Serve over HTTP on this port, with an API key in each request.' '--host:The address to listen on.' '--url:The address of the service.' '--allow-origin:An origin whose pages may send requests.' '--help:Show the usage.') ;;
    "completion") offered=('bash:A shell.' 'zsh:A shell.' '--help:Show the usage.') ;;
    "help") offered=('serve:The usage of serve.' 'doctor:The usage of doctor.' 'upgrade:The usage of upgrade.' 'users:The usage of users.' 'keys:The usage of keys.' 'secrets:The usage of secrets.' 'accounts:The usage of accounts.' 'backup:The usage of backup.' 'restore:The usage of restore.' 'release:The usage of release.' 'mcp:The usage of mcp.' 'completion:The usage of completion.' 'help:The usage of help.' '--help:Show the usage.') ;;
  esac
  _describe campanile offered
  [[ -z "$files" ]] || _files
}
compdef _campanile campanile
