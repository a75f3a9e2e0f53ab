package radio

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Config is what a robot's radio does to the messages that the robot sends. Without a key it is ideal: it carries each
// message to all mates within the step after the one that takes it.
type Config struct {
	Off       bool          `toml:"off" doc:"it neither sends nor receives, until action restore_radio"`
	Delay     time.Duration `toml:"delay_ms" range:"[0, 10000]" doc:"from a message's last bit to its delivery"`
	Jitter    time.Duration `toml:"jitter_ms" range:"[0, 10000]" doc:"standard deviation of the delay, which is never less than 0; messages may overtake each other"`
	Loss      float64       `toml:"loss" range:"[0, 1]" doc:"share of the messages that are lost, drawn for each mate by itself"`
	Bandwidth float64       `toml:"bandwidth_kbit_s" range:"[0, 1000000]" doc:"at which the robot sends; 0: messages take no time. The league allows a team 2200 (recalled), which its robots share"`
	Queue     time.Duration `toml:"queue_ms" range:"[0, 10000]" doc:"a message that would have to wait for longer, until those before it have been sent, is not sent"`
	Range     float64       `toml:"range_m" range:"[0, 1000]" doc:"mates that are farther away when a message is sent do not get it; 0: any distance"`
	UDP       *UDP          `toml:"udp" doc:"datagrams of programs that tell their mates by UDP multicast go by radio, beside radio/send; without it the simulation has no part in them"`
	Topics    []Topic       `toml:"topic" merge:"name" maxlen:"16" doc:"topics of the robot's program that go by radio as they are, beside radio/send"`
}

// SetDefaults is a short queue. A guess: strategies send ten to thirty times a second what counts for as long.
func (c *Config) SetDefaults() { c.Queue = 100 * time.Millisecond }

// Topic is a topic whose messages go to mates as they are.
type Topic struct {
	Name string `toml:"name" required:"true" fixed:"true" doc:"below the robot's namespace, such as nubotcontrol/strategy; mates get it as radio/ROBOT/NAME"`
	Type string `toml:"type" required:"true" fixed:"true" doc:"of its messages, such as nubot_common/StrategyInfo: one that the robot's profiles know"`
}

// Relays tells whether messages on a topic go by radio; the empty one is that of plain messages, DatagramTopic that of
// datagrams.
func (c *Config) Relays(topic string) bool {
	_, ok := c.Type(topic)
	return ok || topic == "" || topic == DatagramTopic && c.UDP != nil
}

// Type returns the type of a topic's messages.
func (c *Config) Type(topic string) (string, bool) {
	for i := range c.Topics {
		if c.Topics[i].Name == topic {
			return c.Topics[i].Type, true
		}
	}
	return "", false
}

// Agree reports topics that two mates have with different types.
func (c *Config) Agree(other *Config, mate string) error {
	for i := range c.Topics {
		t := &c.Topics[i]
		if typ, ok := other.Type(t.Name); ok && typ != t.Type {
			return &schema.Violation{Path: fmt.Sprintf("topic[%d]", i), Key: "type", Value: t.Type,
				Rule: fmt.Sprintf("topic %s has type %s at its mate %s", t.Name, typ, mate)}
		}
	}
	return nil
}
