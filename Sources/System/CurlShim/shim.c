int CurlShim_placeholder;
