package condition

import (
	"errors"
	"regexp"
	"time"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Message is a message that has arrived on a topic.
type Message struct {
	Arrived time.Duration // sim time of the newest state at its arrival
	Stamped bool          // the message has a header
	Stamp   time.Duration // stamp of the header, sim time; without a header, Arrived
	Values  []Value       // values of the subscribed fields, in their order
}

// Value is the value of a message's field: a number, a time in seconds, a truth value as 0 or 1, or a text.
type Value struct {
	Known  bool // the topic's message type has the field
	IsText bool
	Number float64
	Text   string
}

// Topics delivers the messages of topics to conditions.
type Topics interface {
	// Subscribe calls receive with each message of a topic, and with the values of some of its fields, until remove is
	// called.
	Subscribe(topic string, fields []string, receive func(*Message)) (remove func())
	// Take delivers all messages that have arrived since the last call. now is the time of the newest state. The
	// goroutine that steps calls it.
	Take(now time.Duration)
}

var topicName = regexp.MustCompile(`^(/[A-Za-z][A-Za-z0-9_]*)+$`)

// CheckTopic fails unless name is a full topic name of ROS 1.
func CheckTopic(name string) error {
	if topicName.MatchString(name) {
		return nil
	}
	return errors.New("must be a full name on ROS 1: / and a letter, then letters, digits and _, as in /cyan1/odom")
}

func checkTopic(name string) error {
	if name == "" {
		return nil // the rule required reports it
	}
	return violation("topic", name, CheckTopic(name))
}

var fieldName = regexp.MustCompile(
	`^[A-Za-z][A-Za-z0-9_]*(\[[0-9]{1,6}\])?(\.[A-Za-z][A-Za-z0-9_]*(\[[0-9]{1,6}\])?)*$`)

func checkField(name string) error {
	if name == "" || fieldName.MatchString(name) {
		return nil
	}
	return &schema.Violation{Key: "field", Value: name, Rule: "must be names of fields with dots between them, as in " +
		"pose.pose.position.x or data[0]"}
}

// noMessageYet describes a topic before its first message.
func noMessageYet(topic string) string { return "no message has arrived on " + topic }

// Topics lists the topics that a condition names, also inside any, all and not.
func (c *Choice) Topics() (names []string) {
	switch {
	case c == nil:
	case c.TopicValue != nil:
		names = append(names, c.TopicValue.Topic)
	case c.TopicRate != nil:
		names = append(names, c.TopicRate.Topic)
	case c.TopicDelay != nil:
		names = append(names, c.TopicDelay.Topic)
	case c.TopicError != nil:
		names = append(names, c.TopicError.Topic)
	case c.Not != nil:
		names = c.Not.Choice.Topics()
	}
	if c != nil {
		for _, list := range [][]Choice{c.All, c.Any} {
			for i := range list {
				names = append(names, list[i].Topics()...)
			}
		}
	}
	return names
}
