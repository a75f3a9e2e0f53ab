package timesync

import "time"

// Config is the table [time] of a world file.
type Config struct {
	Step      time.Duration `toml:"step_ms" range:"[0.1, 50]" doc:"length of a simulation step"`
	Speed     Speed         `toml:"speed" doc:"\"realtime\", a factor such as 0.5, \"steady\" (the highest factor that can be held), \"max\" or \"lockstep\""`
	ClockRate float64       `toml:"clock_hz" range:"[0, 10000]" doc:"how often the clock is published, in sim time, after a step; 0 is after every step"`
	WaitFor   []WaitFor     `toml:"wait_for" doc:"the robots whose answers each step waits for at speed lockstep"`
}

// DefaultConfig returns a configuration with steps of 5 ms, at real-time speed.
func DefaultConfig() Config { return Config{Step: 5 * time.Millisecond, Speed: RealTime} }
