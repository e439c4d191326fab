import AdminCommands

await AdminTool.start()
