import AdminCommands
import ProcessShim

ProcessShim_setUp()
// Answered before anything is loaded: scripts ask for the version often, and the first task starts threads.
if CommandLine.arguments.dropFirst() == ["--version"] {
  print(AdminTool.version)
} else {
  await AdminTool.start()
}
