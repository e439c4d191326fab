import AdminCommands
import AllocatorShim

// Answered before anything is loaded: scripts ask for the version often, and the first task starts threads.
if CommandLine.arguments.dropFirst() == ["--version"] {
  print(AdminTool.version)
} else {
  AllocatorShim_setUp()
  await AdminTool.start()
}
