package timesync

import "time"

// Config is how a world's time runs.
type Config struct {
	Step  time.Duration `toml:"step_ms" range:"[0.1, 50]" doc:"length of one simulation step"`
	Speed Speed         `toml:"speed" doc:"\"realtime\", \"max\" or a factor such as 0.5"`
}

// DefaultConfig returns steps of 5 ms in real time.
func DefaultConfig() Config { return Config{Step: 5 * time.Millisecond, Speed: RealTime} }
