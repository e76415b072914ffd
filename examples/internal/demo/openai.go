package demo

import (
	"context"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/model"
)

// openAI is a real model behind an OpenAI-compatible interface.
func openAI(ctx context.Context, env func(string) string) (model.ToolCallingChatModel, error) {
	name := env("OPENAI_MODEL")
	if name == "" {
		name = "gpt-4o-mini"
	}
	return openai.NewChatModel(ctx, &openai.ChatModelConfig{
		APIKey:  env("OPENAI_API_KEY"),
		BaseURL: env("OPENAI_BASE_URL"), // empty: OpenAI's own
		Model:   name,
	})
}
