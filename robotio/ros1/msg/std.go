package msg

// Header is std_msgs/Header. Publishers count Seq; Stamp is the time of capture, in sim time.
type Header struct {
	Seq     uint32
	Stamp   Time
	FrameID string
}

// String is std_msgs/String.
type String struct {
	Data string
}

// Bool is std_msgs/Bool.
type Bool struct {
	Data bool
}

// Float64 is std_msgs/Float64.
type Float64 struct {
	Data float64
}

// Int32 is std_msgs/Int32.
type Int32 struct {
	Data int32
}

// TriggerRequest is the request of std_srvs/Trigger.
type TriggerRequest struct{}

// TriggerResponse is its response.
type TriggerResponse struct {
	Success bool
	Message string
}

// SetBoolRequest is the request of std_srvs/SetBool.
type SetBoolRequest struct {
	Data bool
}

// SetBoolResponse is its response.
type SetBoolResponse struct {
	Success bool
	Message string
}

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

// Logger is roscpp/Logger.
type Logger struct {
	Name  string
	Level string // debug, info, warn, error or fatal
}

// GetLoggersRequest is the request of roscpp/GetLoggers.
type GetLoggersRequest struct{}

// GetLoggersResponse is the response of roscpp/GetLoggers.
type GetLoggersResponse struct {
	Loggers []Logger
}

// SetLoggerLevelRequest is the request of roscpp/SetLoggerLevel.
type SetLoggerLevelRequest struct {
	Logger string
	Level  string
}

// SetLoggerLevelResponse is the response of roscpp/SetLoggerLevel.
type SetLoggerLevelResponse struct{}
