package recording

// Header is what stands before the messages of a recording.
type Header struct {
	Library     string            // what has written the file, with its version
	Metadata    map[string]string // of the run: one metadata record with the name "omnipitch"
	Attachments []Attachment
}

// Attachment is a file inside a recording.
type Attachment struct {
	Name, MediaType string
	Data            []byte
}

// Schema is the message type of a channel: its ROS name and the text of its definition with all dependencies, as
// msg.Definition.Text.
type Schema struct{ Name, Text string }

// What the files of this package have in common.
const (
	profile        = "ros1" // of the MCAP specification
	metadataName   = "omnipitch"
	schemaEncoding = "ros1msg" // of each schema with a text
)

// ROSEncoding is the message encoding of each channel.
const ROSEncoding = "ros1"

// MaxMessage bounds a message's data, in bytes: four times what a ROS node takes by default.
const MaxMessage = 256 << 20
