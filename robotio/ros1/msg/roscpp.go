package msg

// SetLoggerLevelRequest is the request of roscpp/SetLoggerLevel.
type SetLoggerLevelRequest struct {
	Logger string
	Level  string
}

// SetLoggerLevelResponse is the response of roscpp/SetLoggerLevel.
type SetLoggerLevelResponse struct{}
