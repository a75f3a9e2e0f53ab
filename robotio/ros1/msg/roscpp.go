package msg

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
