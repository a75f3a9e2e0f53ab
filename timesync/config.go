package timesync

import "time"

// Config is how a world's time runs.
type Config struct {
	Step      time.Duration `toml:"step_ms" range:"[0.1, 50]" doc:"length of one simulation step"`
	Speed     Speed         `toml:"speed" doc:"\"realtime\", a factor such as 0.5, \"steady\" (the highest factor that can be held), \"max\" or \"lockstep\""`
	ClockRate float64       `toml:"clock_hz" range:"[0, 10000]" doc:"how often a sim second the clock is published, after steps; 0 is every step"`
	WaitFor   []WaitFor     `toml:"wait_for" doc:"the robots whose answers steps wait for at speed lockstep"`
}

// DefaultConfig returns steps of 5 ms in real time.
func DefaultConfig() Config { return Config{Step: 5 * time.Millisecond, Speed: RealTime} }
