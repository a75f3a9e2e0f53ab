package condition

import (
	"errors"
	"regexp"
	"time"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Message is a message that has arrived on a topic.
type Message struct {
	Arrived time.Duration // sim time of the newest state when the message arrived
	Stamped bool          // the message has a header
	Stamp   time.Duration // stamp of the header, in sim time; equal to Arrived for a message without a header
	Values  []Value       // values of the subscribed fields, in the order of the subscription
}

// Value is the value of a message's field: a number, a time in seconds, a truth value as 0 or 1, or a text.
type Value struct {
	Known  bool // whether the topic's message type has the field
	IsText bool
	Number float64
	Text   string
}

// Topics delivers the messages of topics to conditions.
type Topics interface {
	// Subscribe calls the function receive with each message of a topic, and with the values of the given fields. It
	// does so until the caller calls remove.
	Subscribe(topic string, fields []string, receive func(*Message)) (remove func())
	// Take delivers all messages that have arrived since the last call. The argument now is the time of the newest
	// state. Only the goroutine that steps calls Take.
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
		return nil // the rule for required keys reports an empty name
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

// noMessageYet describes a topic on which no message has arrived yet.
func noMessageYet(topic string) string { return "no message has arrived on " + topic }

// Topics lists the topics that a condition names. This includes the topics named inside any, all and not.
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
