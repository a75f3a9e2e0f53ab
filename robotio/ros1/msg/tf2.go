package msg

// TFMessage is tf2_msgs/TFMessage.
type TFMessage struct {
	Transforms []TransformStamped
}
