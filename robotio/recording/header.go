package recording

// Header is the data before the messages of a recording.
type Header struct {
	Library     string            // the writing program, with its version
	Metadata    map[string]string // of the run: a metadata record of the name "omnipitch"
	Attachments []Attachment
}

// Attachment is a file inside a recording.
type Attachment struct {
	Name, MediaType string
	Data            []byte
}

// Schema is the message type of a channel: its ROS name and the text of its definition with all dependencies, as in
// msg.Definition.Text.
type Schema struct{ Name, Text string }

// Constants of all files of this package.
const (
	profile        = "ros1" // of the MCAP specification
	metadataName   = "omnipitch"
	schemaEncoding = "ros1msg" // of each schema with a text
)

// ROSEncoding is the message encoding of each channel.
const ROSEncoding = "ros1"

// MaxMessage bounds a message's data in bytes: four times the default limit of a ROS node.
const MaxMessage = 256 << 20
