package msg

// Clock is rosgraph_msgs/Clock.
type Clock struct {
	Clock Time
}

// Log is rosgraph_msgs/Log.
type Log struct {
	Header   Header
	Level    int8
	Name     string
	Msg      string
	File     string
	Function string
	Line     uint32
	Topics   []string
}

// Levels of a Log. Source: rosgraph_msgs/Log.
const (
	LogDebug int8 = 1
	LogInfo  int8 = 2
	LogWarn  int8 = 4
	LogError int8 = 8
	LogFatal int8 = 16
)
