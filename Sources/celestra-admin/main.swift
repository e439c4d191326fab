import AdminCommands
import ProcessShim

// Answered before anything is loaded: scripts ask for the version often, and the first task starts threads.
if CommandLine.arguments.dropFirst() == ["--version"] {
  print(AdminTool.version)
} else {
  ProcessShim_setUp()
  await AdminTool.start()
}
