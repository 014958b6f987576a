# Completions of campanile for bash: source <(campanile completion bash)
_campanile() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
  local path="" next words="" files="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="${path:+$path }${COMP_WORDS[i]}"
    case "$next" in
      "users"|"keys"|"secrets"|"accounts"|"backup"|"serve"|"doctor"|"upgrade"|"users list"|"users create"|"users invite"|"users disable"|"users enable"|"users reset-password"|"users reset-factor"|"users make-admin"|"users hand-over"|"users delete"|"keys list"|"keys revoke"|"secrets rotate"|"secrets give-up"|"accounts list"|"accounts release"|"backup verify"|"restore"|"release"|"mcp"|"completion"|"help") path="$next" ;;
    esac
  done
  COMPREPLY=()
  case "$previous" in
    --passphrase-file|--key-file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --send|--unknown|--port|--host|--url|--allow-origin) return ;;
  esac
  case "$path" in
    "") words="serve doctor upgrade users keys secrets accounts backup restore release mcp completion help --help --version" ;;
    "users") words="list create invite disable enable reset-password reset-factor make-admin hand-over delete --help" ;;
    "keys") words="list revoke --help" ;;
    "secrets") words="rotate give-up --help" ;;
    "accounts") words="list release --help" ;;
    "backup") words="verify --passphrase-file --help" files=yes ;;
    "serve") words="--help" ;;
    "doctor") words="--json --help" ;;
    "upgrade") words="--check --json --help" ;;
    "users list") words="--json --help" ;;
    "users create") words="--help" ;;
    "users invite") words="--help" ;;
    "users disable") words="--yes --help" ;;
    "users enable") words="--help" ;;
    "users reset-password") words="--help" ;;
    "users reset-factor") words="--help" ;;
    "users make-admin") words="--help" ;;
    "users hand-over") words="--help" ;;
    "users delete") words="--yes --with-shared-workspaces --help" ;;
    "keys list") words="--json --help" ;;
    "keys revoke") words="--help" ;;
    "secrets rotate") words="--help" ;;
    "secrets give-up") words="--yes --help" ;;
    "accounts list") words="--json --help" ;;
    "accounts release") words="--help" ;;
    "backup verify") words="--passphrase-file --unauthenticated --help" files=yes ;;
    "restore") words="--passphrase-file --unauthenticated --help" files=yes ;;
    "release") words="--send --unknown --json --help" ;;
    "mcp") words="--key-file --port --host --url --allow-origin --help" ;;
    "completion") words="bash zsh --help" ;;
    "help") words="serve doctor upgrade users keys secrets accounts backup restore release mcp completion help --help" ;;
  esac
  # Not for words alone: a folder of the name of a command would get a slash.
  [[ -z "$files" ]] || compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [[ -z "$files" || "$current" == -* ]] || compgen -f -- "$current")
}
complete -F _campanile campanile
