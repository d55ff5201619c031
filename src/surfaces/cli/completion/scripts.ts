import type { Node, Values } from "./tree.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The script that teaches a shell the commands. */
export const scripts: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = { bash, zsh, fish };

const children = (nodes: readonly Node[]): string =>
  nodes.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`])).join("|");

/** Options that take a value, with the path of their command: `"/forms/create --name"`. */
const valued = (nodes: readonly Node[]): { readonly at: string; readonly values: Values }[] =>
  nodes.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, values }) =>
      values === null ? [] : [{ at: names.map((name) => `"${path} ${name}"`).join("|"), values }],
    ),
  );

function bash(nodes: readonly Node[]): string {
  const reply = (values: Values): string => {
    if (values === "free") return "";
    const what = values === "files" ? "-f" : `-W "${values.join(" ")}"`;
    return `COMPREPLY=($(compgen ${what} -- "$cur"))${values === "files" ? "; compopt -o filenames 2>/dev/null" : ""}`;
  };
  const options = valued(nodes).map(
    ({ at, values }) => `    ${at}) ${reply(values)}${values === "free" ? "" : "; "}return ;;`,
  );
  const words = nodes.map(({ path, commands, flags, values }) => {
    const names = [...commands.map(({ name }) => name), ...(Array.isArray(values) ? values : [])].join(" ");
    const dashed = flags.flatMap((flag) => flag.names.slice(-1)).join(" ");
    const files = values === "files" ? "files=1" : "";
    return `    "${path}") words="${names}" options="${dashed}" ${files};;`;
  });
  return `# bash completion of form-backend
_form_backend() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" node="" words="" options="" files="" i
  COMPREPLY=()
  # Bash splits --status=spam at the sign.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$node/\${COMP_WORDS[i]}" in
      ${children(nodes)}) node="$node/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$node $prev" in
${options.join("\n")}
  esac
  case "$node" in
${words.join("\n")}
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ -n $files ]]; then COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null
  else COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
}
complete -F _form_backend form-backend
`;
}

function zsh(nodes: readonly Node[]): string {
  const reply = (values: Values): string =>
    values === "free" ? "return" : `${values === "files" ? "_files" : `compadd -- ${values.join(" ")}`}; return`;
  const described = (names: readonly string[], description: string): string[] =>
    names.map((name) => `'${name}:${description}'`);
  const words = nodes.map(({ path, commands, flags, values }) => {
    const subs = commands.flatMap(({ name, description }) => described([name], description)).join(" ");
    const options = flags.flatMap(({ names, description }) => described(names.slice(-1), description)).join(" ");
    const rest = values === "files" ? "_files" : Array.isArray(values) ? `compadd -- ${values.join(" ")}` : "true";
    return `    ("${path}") subs=(${subs}); options=(${options}); rest='${rest}' ;;`;
  });
  return `#compdef form-backend
# zsh completion of form-backend
_form_backend() {
  local node="" rest=true cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" i
  local -a subs options
  for ((i = 2; i < CURRENT; i++)); do
    case "$node/\${words[i]}" in
      (${children(nodes)}) node="$node/\${words[i]}" ;;
    esac
  done
  case "$node $prev" in
${valued(nodes)
  .map(({ at, values }) => `    (${at}) ${reply(values)} ;;`)
  .join("\n")}
  esac
  case "$node" in
${words.join("\n")}
  esac
  if [[ $cur == -* ]]; then _describe -o option options; return; fi
  (( $#subs )) && _describe command subs
  eval "$rest"
}
if [[ "\${funcstack[1]}" == _form_backend ]]; then _form_backend "$@"; else compdef _form_backend form-backend; fi
`;
}

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, commands, flags, values }) => {
    const at = `complete -c form-backend -n '__form_backend_at .${path}'`;
    return [
      ...commands.map(({ name, description }) => `${at} -a ${name} -d '${description}'`),
      ...flags.map(({ names, description, values: own }) => {
        const [long, short] = [names.find((name) => name.startsWith("--")), names.find((name) => /^-\w$/.test(name))];
        const given = [...(long ? [`-l ${long.slice(2)}`] : []), ...(short ? [`-s ${short.slice(1)}`] : [])].join(" ");
        const what =
          own === null ? "" : own === "files" ? " -r -F" : own === "free" ? " -x" : ` -x -a '${own.join(" ")}'`;
        return `${at} ${given}${what} -d '${description}'`;
      }),
      ...(values === "files" ? [`${at} -F`] : Array.isArray(values) ? [`${at} -a '${values.join(" ")}'`] : []),
    ];
  });
  return `# fish completion of form-backend
function __form_backend_at
    set -l node .
    for word in (commandline -opc)[2..-1]
        switch "$node/$word"
            case ${nodes.flatMap(({ path }) => (path === "" ? [] : [`.${path}`])).join(" ")}
                set node "$node/$word"
        end
    end
    test "$node" = "$argv[1]"
end
complete -c form-backend -f
${lines.join("\n")}
`;
}
